package manifest

import (
	"os"
	"slices"
	"testing"

	batch "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

// The manifest is one that Kubernetes takes, to the last key, and says what it is meant to say.
func TestKubernetesManifest(t *testing.T) {
	text, err := os.ReadFile("../kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var job batch.Job
	if err := yaml.UnmarshalStrict(text, &job); err != nil {
		t.Fatal(err)
	}
	if job.APIVersion != "batch/v1" || job.Kind != "Job" || job.Spec.CompletionMode == nil || *job.Spec.CompletionMode != batch.IndexedCompletion {
		t.Errorf("%s %s is not an indexed job", job.APIVersion, job.Kind)
	}
	args := job.Spec.Template.Spec.Containers[0].Args
	at := slices.Index(args, "--shards")
	if at < 0 || job.Spec.Completions == nil || args[at+1] != "8" || *job.Spec.Completions != 8 {
		t.Errorf("the completions are not those of %q", args)
	}
	if job.Spec.BackoffLimitPerIndex == nil || job.Spec.Template.Spec.RestartPolicy != "Never" {
		t.Error("an index is not tried again by itself")
	}
	rules := job.Spec.PodFailurePolicy.Rules
	if rules[0].Action != batch.PodFailurePolicyActionFailIndex || !slices.Equal(rules[0].OnExitCodes.Values, []int32{2}) ||
		rules[1].Action != batch.PodFailurePolicyActionIgnore || rules[1].OnPodConditions[0].Type != "DisruptionTarget" {
		t.Errorf("rules %+v", rules)
	}
	if rules[0].OnExitCodes.ContainerName == nil || *rules[0].OnExitCodes.ContainerName != job.Spec.Template.Spec.Containers[0].Name {
		t.Error("the rule is about another container")
	}
}

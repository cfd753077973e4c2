// A batch as a Nextflow workflow:
//     nextflow run orthant.nf --jobs jobs.jsonl --out made --parts 8
// The parts share one folder, which has to be one that all machines see.
params.jobs = 'jobs.jsonl'
params.out = 'made'
params.parts = 8

process part {
    container 'orthant:latest'
    containerOptions '--entrypoint ""' // scripts of the engine, not the command
    cpus 1
    memory '2 GB'
    // Status 2 is a mistake in the file of jobs; all else is tried again, and --resume does what is left.
    errorStrategy { task.exitStatus == 2 ? 'terminate' : 'retry' }
    maxRetries 3

    input:
    tuple val(i), path(jobs)

    output:
    val i

    script:
    """
    cd '${launchDir}'
    orthant batch '${file(params.jobs)}' --out '${file(params.out)}' --shard ${i}/${params.parts} --resume \
      --threads ${task.cpus} --memory ${task.memory.toMega()}MiB --accept-unconverged
    """
}

process merge {
    container 'orthant:latest'
    containerOptions '--entrypoint ""' // scripts of the engine, not the command

    input:
    val parts

    script:
    """
    orthant batch merge --out '${file(params.out)}'
    """
}

workflow {
    merge(part(Channel.of(1..params.parts).map { i -> tuple(i, file(params.jobs)) }).collect())
}

package method

// Protocol says which defaults hold, for methods whose paper sets other defaults than an expert would
// choose for general data. A method embeds it, and the fields that differ have a tag paper next to the
// tag default.
type Protocol struct {
	Protocol string `json:"protocol" default:"general" allowed:"general|paper" doc:"the defaults of all other parameters: general, for data of any kind, or those of the method's paper"`
}

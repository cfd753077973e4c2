// Package explore decides how a table is prepared for a first look, and shows what was found on one page of HTML.
package explore

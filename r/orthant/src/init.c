/* The table of what R calls. */

#define R_NO_REMAP
#include <R_ext/Rdynload.h>

#include "rorthant.h"

#define CALL(name, arguments) {#name, (DL_FUNC)&name, arguments}

static const R_CallMethodDef calls[] = {
    CALL(C_task, 0),   CALL(C_start, 7),    CALL(C_wait, 2),  CALL(C_release, 1), CALL(C_array, 3),
    CALL(C_number, 2), CALL(C_report, 1),   CALL(C_turn, 1),  CALL(C_whole, 2),   CALL(C_describe, 1), CALL(C_explain, 1),
    CALL(C_model, 1),  CALL(C_model_info, 1), CALL(C_save, 2), CALL(C_load, 1),   CALL(C_flags, 0),
    CALL(C_keep, 1),   CALL(C_solve, 2),    CALL(C_log_det, 1),
    {NULL, NULL, 0}};

void R_init_orthant(DllInfo *info) {
  R_registerRoutines(info, NULL, calls, NULL, NULL);
  R_useDynamicSymbols(info, FALSE);
  R_forceSymbols(info, TRUE);
}

"""Here compiled functions are called one by one, millions of times: by numba, before any is imported."""

from compiling import use_machine_code

use_machine_code()

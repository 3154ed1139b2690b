"""Here functions of the kernel are called one by one, millions of times: by numba, before any is imported."""

from littlego.kernel.compiling import use_machine_code

use_machine_code()

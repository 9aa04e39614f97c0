/* Constants of the elementary functions (elementary_exp.c, elementary_angle.c), made by tools/elementary-tables from
 * 1500 bits. Depends on double_double.h. */
// clang-format off
#ifndef ASP_BASE_ELEMENTARY_TABLES_H
#define ASP_BASE_ELEMENTARY_TABLES_H

#include "base/double_double.h"

#include <stdint.h>

// exact: rounded from 1500 bits
static const AspTwice pi_twice = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
// exact: rounded from 1500 bits
static const AspTwice half_pi_twice = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
// exact: rounded from 1500 bits
static const AspTwice ln2_twice = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
// exact: rounded from 1500 bits
static const AspTwice log2_e_twice = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
// exact: rounded from 1500 bits
static const AspTwice log10_e_twice = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
/* ln 2 in two parts, the first with so few digits that its product with an exponent is exact */
// exact: rounded from 1500 bits
static const AspTwice ln2_parts = {0x1.62e42fefa3800p-1, 0x1.ef35793c76730p-45};
/* pi/2 in four parts, the first three with 33 digits: products with numbers below 2^20 are exact */
// exact: rounded from 1500 bits
static const double half_pi_part[4] = {
    0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e000000p-69, 0x1.b839a252049c1p-104};

/* ln (j / 64), j = 45 ... 91: a multiple of 2^-42, and the rest */
// exact: rounded from 1500 bits
static const AspTwice log_table[47] = {
    {-0x1.68ac83e9c7000p-2, 0x1.7af966c548a30p-44}, {-0x1.522ae0738a000p-2, -0x1.ebe708164c759p-45},
    {-0x1.3c25277333000p-2, -0x1.83b54b606bd5cp-46}, {-0x1.269621134e000p-2, 0x1.1b61f10522625p-44},
    {-0x1.1178e8227e000p-2, -0x1.1ef78ce2d07f2p-44}, {-0x1.f991c6cb3c000p-3, 0x1.90d04cd7cc834p-44},
    {-0x1.d1037f2656000p-3, 0x1.84a7e75b6f6e4p-47}, {-0x1.a93ed3c8ae000p-3, 0x1.8724350562169p-45},
    {-0x1.823c16551a000p-3, -0x1.e0ddb9a631e83p-46}, {-0x1.5bf406b544000p-3, 0x1.27023eb68981cp-46},
    {-0x1.365fcb015a000p-3, 0x1.fd3a0afb9691bp-44}, {-0x1.1178e8227e000p-3, -0x1.1ef78ce2d07f2p-45},
    {-0x1.da72763844000p-4, -0x1.a89401fa71733p-46}, {-0x1.9335e5d594000p-4, -0x1.3115c3abd47dap-45},
    {-0x1.4d3115d208000p-4, 0x1.53a2582f4e1efp-48}, {-0x1.08598b59e4000p-4, 0x1.7e5dd7009902cp-46},
    {-0x1.894aa149f8000p-5, -0x1.9a19a8be97661p-44}, {-0x1.0415d89e78000p-5, 0x1.dddc7f461c516p-44},
    {-0x1.0205658930000p-6, -0x1.611d27c8e8417p-44}, {0x0.0p+0, 0x0.0p+0},
    {0x1.fc0a8b0fc0000p-7, 0x1.f1e7cf6d3a69cp-50}, {0x1.f829b0e780000p-6, 0x1.980267c7e09e4p-45},
    {0x1.77458f6330000p-5, -0x1.181dce586af09p-44}, {0x1.f0a30c0118000p-5, -0x1.d599e83368e91p-45},
    {0x1.341d7961bc000p-4, 0x1.1d09299837610p-44}, {0x1.6f0d28ae58000p-4, -0x1.4b4641b664613p-44},
    {0x1.a926d3a4ac000p-4, 0x1.563650bd22a9cp-44}, {0x1.e27076e2b0000p-4, -0x1.a342c2af0003cp-45},
    {0x1.0d77e7cd08000p-3, 0x1.cb2cd2ee2f482p-44}, {0x1.29552f8200000p-3, -0x1.5b967f4471dfcp-44},
    {0x1.44d2b6ccb8000p-3, -0x1.70cc16135783cp-46}, {0x1.5ff3070a7a000p-3, -0x1.8586f183bebf2p-44},
    {0x1.7ab890210e000p-3, -0x1.bdb9072534a58p-45}, {0x1.9525a9cf46000p-3, -0x1.297137d9f158fp-44},
    {0x1.af3c94e80c000p-3, -0x1.a4e633fcd9066p-52}, {0x1.c8ff7c79aa000p-3, -0x1.7794f689f8434p-45},
    {0x1.e27076e2b0000p-3, -0x1.a342c2af0003cp-44}, {0x1.fb9186d5e4000p-3, -0x1.d572aab993c87p-47},
    {0x1.0a324e2739000p-2, 0x1.c6bee7ef4030ep-47}, {0x1.1675cababa000p-2, 0x1.8380e731f55c4p-44},
    {0x1.22941fbcf8000p-2, -0x1.a6976f5eb0963p-44}, {0x1.2e8e2bae12000p-2, -0x1.67b1e99b72bd8p-45},
    {0x1.3a64c55694000p-2, 0x1.7a71cbcd735d0p-44}, {0x1.4618bc21c6000p-2, -0x1.3d82f484c84ccp-46},
    {0x1.51aad872e0000p-2, -0x1.f4bd8db0a7cc1p-44}, {0x1.5d1bdbf581000p-2, -0x1.8d6bdc9c7c238p-44},
    {0x1.686c81e9b1000p-2, 0x1.2bb110af84054p-44},
};

/* atan (i / 8), i = 0 ... 8 */
// exact: rounded from 1500 bits
static const AspTwice atan_table[9] = {
    {0x0.0p+0, 0x0.0p+0}, {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57}, {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56}, {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56}, {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

/* 2/pi: 32 binary digits each, behind the point */
// exact: rounded from 1500 bits
static const uint32_t two_over_pi[42] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
    0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
    0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b,
    0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
    0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1,
    0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d, 0xa9e39161, 0x5ee61b08,
};

#endif
// clang-format on

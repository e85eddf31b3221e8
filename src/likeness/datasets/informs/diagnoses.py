"""The 619 diagnoses of the generated INFORMS table: ICD-9 categories by chapter, and who has which.

``CHAPTERS`` gives each chapter's name, how frequencies fall with the rank within it, and its codes, the most
frequent first. The frequency of rank r = 1, 2, ... is proportional to (r + offset)^-(quarters / 4), the
Zipf-Mandelbrot law, fitted by likelihood to the 599 codes of the 2005 part of the INFORMS 2008 data; 20
categories that do not occur there stand at the ends, to make the published 619. ``CHAPTER_SHARES`` are the
shares of the chapters by sex and age, per mille of the diagnoses, from the same data, but for a man's pregnancy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from likeness.datasets._draws import Integers

CHAPTERS = (
    (
        "Infectious and parasitic diseases",
        6,
        0,
        (
            "008 034 079 110 112 078 054 041 005 136 053 070 009 075 042 052 111 117 088 038 057 132 "
            "133 135 011 040 099 139 074 097 002 036 045 055 072 084 098"
        ),
    ),
    (
        "Neoplasms",
        8,
        5,
        (
            "173 239 216 174 185 199 232 211 153 215 218 162 172 208 238 179 202 214 188 217 170 195 "
            "193 149 180 229 155 154 171 189 224 157 187 191 198 203 207 201 220 225 227 228 237 141 "
            "150 151 156 204 205 219"
        ),
    ),
    (
        "Endocrine and metabolic diseases",
        12,
        3,
        (
            "272 250 246 244 276 274 259 242 278 251 256 275 269 277 240 279 257 266 241 258 271 255 "
            "268 245 252 253"
        ),
    ),
    (
        "Diseases of the blood",
        7,
        0,
        ("285 280 289 282 287 286 288 281 283 284"),
    ),
    (
        "Mental disorders",
        12,
        3,
        (
            "311 300 308 314 296 309 295 294 312 307 302 299 305 315 304 306 303 319 313 298 301 297 "
            "317 318 290"
        ),
    ),
    (
        "Diseases of the nervous system",
        10,
        8,
        (
            "382 346 367 366 365 389 372 354 355 360 379 388 362 369 368 380 375 333 345 331 332 340 "
            "373 386 349 381 348 374 361 378 384 336 351 322 344 356 343 371 353 342 377 347 358 359 "
            "350 364 385 370 323 337 352 363 357"
        ),
    ),
    (
        "Diseases of the circulatory system",
        7,
        0,
        (
            "401 429 427 428 459 410 436 444 424 455 414 413 454 458 435 447 453 412 433 434 440 443 "
            "438 442 441 415 425 426 451 411 437 446 431 448 456 457 403 416 423 397 421"
        ),
    ),
    (
        "Diseases of the respiratory system",
        12,
        5,
        (
            "460 477 487 493 473 490 478 462 486 465 519 492 518 514 496 463 464 491 474 511 466 470 "
            "471 515 461 505 472 480 485 482 508"
        ),
    ),
    (
        "Diseases of the digestive system",
        8,
        3,
        (
            "530 536 525 564 522 553 537 535 575 531 523 528 569 562 521 574 573 558 571 520 578 524 "
            "577 555 560 541 550 526 556 529 533 565 579 527 557 568 532 540 566 576 567"
        ),
    ),
    (
        "Diseases of the genitourinary system",
        9,
        8,
        (
            "599 595 627 625 611 626 593 592 590 596 602 600 620 616 586 623 610 601 617 607 622 608 "
            "621 629 628 618 614 598 585 604 583 615 580"
        ),
    ),
    (
        "Pregnancy and childbirth",
        11,
        5,
        ("650 648 634 669 674 644 643 642 646 633 641 637"),
    ),
    (
        "Diseases of the skin",
        12,
        8,
        (
            "692 706 709 686 703 707 696 701 700 708 680 695 682 698 693 704 691 681 684 705 702 690 "
            "683 685 697"
        ),
    ),
    (
        "Diseases of the musculoskeletal system",
        11,
        5,
        (
            "724 716 719 729 733 722 726 723 728 727 715 721 714 737 710 717 738 734 718 735 720 736 "
            "730 711 732 725"
        ),
    ),
    (
        "Congenital anomalies",
        4,
        2,
        ("756 753 758 746 755 759 741 749 754 747 752 743 742 745 757 744 748 751"),
    ),
    (
        "Perinatal conditions",
        8,
        1,
        ("765 779"),
    ),
    (
        "Symptoms and signs",
        12,
        5,
        ("780 786 782 784 787 785 788 790 789 799 783 797 781 795 793 791 794 796 792"),
    ),
    (
        "Injury and poisoning",
        5,
        2,
        (
            "959 847 845 873 840 995 924 844 989 883 842 848 825 816 836 882 923 824 891 826 814 818 "
            "850 807 922 805 839 920 921 998 846 892 831 802 812 820 918 879 919 815 996 827 916 854 "
            "843 930 944 871 881 910 810 884 943 822 823 977 813 994 945 835 917 952 992 808 999 869 "
            "893 911 913 915 872 940 933 941 949 886 931 832 841 890 914 997 829 821 834 863 870 932 "
            "938 987 904 908 927 803 838 946 957 811 880 905 928 980 984 837 874 876 942 955 956 877 "
            "990 947 958"
        ),
    ),
    (
        "Other contacts with health services",
        11,
        8,
        (
            "V68 V22 V77 V25 V72 V81 V70 V07 V65 V71 V58 V67 V45 V41 V30 V40 V76 V12 V10 V53 V47 V52 "
            "V15 V49 V82 V43 V20 V62 V61 V13 V54 V24 V57 V69 V80 V04 V08 V48 V26 V44 V50 V74 V42 V05 "
            "V01 V56 V73 V03 V09 V66 V79 V06 V18 V55 V75 V14 V60"
        ),
    ),
)

CHAPTER_SHARES = (  # men by band, then women
    (126, 2, 6, 6, 6, 144, 3, 373, 39, 6, 0, 37, 5, 10, 7, 133, 58, 38),
    (131, 2, 8, 2, 85, 79, 4, 360, 43, 7, 0, 33, 19, 3, 0, 100, 97, 24),
    (91, 3, 11, 2, 99, 50, 11, 294, 57, 10, 0, 52, 61, 3, 0, 68, 164, 22),
    (81, 10, 28, 3, 82, 44, 30, 261, 65, 18, 0, 38, 97, 1, 0, 75, 140, 25),
    (56, 12, 74, 1, 71, 52, 76, 198, 74, 15, 0, 30, 128, 1, 0, 76, 103, 34),
    (44, 17, 105, 2, 66, 55, 114, 146, 70, 18, 0, 25, 128, 2, 0, 82, 77, 48),
    (31, 26, 142, 2, 53, 48, 160, 105, 64, 30, 0, 24, 118, 2, 0, 77, 53, 65),
    (19, 37, 146, 4, 28, 69, 177, 93, 59, 40, 0, 24, 110, 1, 0, 81, 34, 79),
    (16, 49, 116, 7, 25, 88, 181, 75, 56, 46, 0, 27, 93, 1, 0, 95, 39, 87),
    (128, 0, 4, 7, 5, 153, 2, 356, 37, 20, 0, 37, 6, 8, 3, 140, 53, 41),
    (148, 4, 8, 2, 49, 90, 4, 345, 50, 30, 0, 40, 23, 4, 0, 101, 78, 23),
    (90, 6, 18, 8, 75, 50, 8, 224, 49, 72, 15, 42, 57, 1, 0, 78, 75, 131),
    (64, 11, 40, 7, 88, 55, 25, 182, 54, 59, 20, 27, 72, 1, 0, 86, 59, 149),
    (61, 17, 60, 5, 96, 60, 52, 174, 65, 62, 7, 28, 100, 2, 0, 83, 60, 69),
    (45, 15, 91, 6, 85, 60, 82, 141, 67, 51, 0, 26, 131, 1, 0, 92, 55, 54),
    (31, 22, 127, 5, 62, 54, 112, 120, 65, 42, 0, 23, 147, 1, 0, 77, 46, 67),
    (22, 23, 134, 5, 40, 67, 143, 94, 60, 32, 0, 23, 153, 1, 0, 82, 45, 75),
    (18, 24, 127, 9, 37, 80, 171, 69, 50, 27, 0, 23, 140, 2, 0, 103, 46, 74),
)


def codes() -> list[str]:
    """List all codes, chapter by chapter."""
    return [code for *_, own in CHAPTERS for code in own.split()]


def rows() -> list[list[str]]:
    """Give the hierarchy of diagnoses: the code, its chapter, the root."""
    return [[code, name, "*"] for name, *_, own in CHAPTERS for code in own.split()]


def sizes() -> Integers:
    """(chapters,) Number of codes of each chapter."""
    return np.array([len(own.split()) for *_, own in CHAPTERS], np.int64)


def rank_weights() -> Integers:
    """(chapters, longest) Whole-number weight of every rank within a chapter, 0 beyond its end.

    Quarter powers are square roots of square roots, which every machine rounds alike.
    """
    longest = int(sizes().max())
    table = np.zeros((len(CHAPTERS), longest), np.int64)
    for chapter, (_, quarters, offset, own) in enumerate(CHAPTERS):
        base = (1.0 + offset) / (np.arange(1, len(own.split()) + 1) + offset)
        root = np.sqrt(np.sqrt(base))
        power = np.ones(base.size)
        for _ in range(quarters):
            power = power * root
        table[chapter, : base.size] = np.floor(power * 1e7)
    return table

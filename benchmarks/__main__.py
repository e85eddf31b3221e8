"""Run the benchmark and print it."""

from __future__ import annotations

import argparse

import likeness as lk
from benchmarks import efforts, engines, linked, optimum, people, reports, searches, tables, whole, wide
from benchmarks.clock import best_of, peak_megabytes, unit
from benchmarks.cold import cold_and_warm
from benchmarks.jobs import Job, jobs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a tenth of the rows, to try the script")
    parser.add_argument("--repeat", type=int, default=3)
    chosen = parser.parse_args()
    scale = 10 if chosen.small else 1
    print(
        "Time of anonymize (encoding to proven release in memory, warm) in units of one stable argsort of as many"
    )
    print("randomly permuted int64, both measured in this run.\n")
    print(f"{'':52}{'rows':>10}{'seconds':>10}{'units':>8}{'classes':>9}{'loss':>9}  against")
    for job in jobs(scale):
        report(job, chosen.repeat)
    folder = tables.data_folder()
    if folder is not None:
        print("\nThe search alone:")
        searches.full_domain(folder, chosen.repeat)
        sizes = (5_000, 30_162, 100_000, 1_000_000) if scale == 1 else (5_000, 30_162)
        searches.clustering(folder, sizes, lk.Sbca())
        searches.clustering(folder, sizes[:2], lk.KMember(), "k-member elsewhere: 47 s at 4,000")
        searches.clustering(folder, sizes[:2], lk.Mdav())
        print("\nTwo tables that buckets link beside one table of k alone, Adult resampled, 6:")
        linked.beside_one_table(folder, 1_000_000 // scale, chosen.repeat)
    print("\nPolicies that name no method:")
    efforts.growth((10_000, 100_000, 1_000_000) if scale == 1 else (10_000, 100_000))
    print("\nHow far from the least loss:")
    optimum.report(folder, 200 // scale)
    print("\nWhat a report takes of a run (CPU seconds):")
    reports.shares(folder, scale)
    print("\nPeople with several records, the search alone:")
    searches.individuals((100_000 // scale, 456_767 // scale))
    searches.deciding(100_000 // scale)
    print("\nPeople with several records, the whole way:")
    people.stages(456_767 // scale, chosen.repeat)
    print("\nFrom a file to a release folder, in processes of their own:")
    whole.report("a quasi-identifier of 10,000 texts", *whole.with_texts(100_000 // scale, 10_000 // scale))
    whole.report("a register of 8 columns", *whole.register(2_700_000 // scale))
    print("\nIn memory and by engines that count, from files to a release folder, in processes of their own:")
    engines.report((10_000_000 // scale,), ("memory", "streaming"), tuple(engines.GUARANTEES))
    print("\nAs many sensitive values as records, from table to verified folder (CPU seconds):")
    wide.growth(tuple(size // scale for size in (12_500, 25_000, 50_000, 100_000)))
    print(f"\npeak memory of this process: {peak_megabytes():,.0f} MB")
    cold, warm = cold_and_warm()
    print(
        f"a small run in a new process: {cold:.1f} s while kernels compile (once per machine), {warm:.1f} s after"
    )


def report(job: Job, repeat: int) -> None:
    """Time one run and print its line."""
    release = lk.anonymize(job.table, job.policy, seed=1)
    seconds = best_of(repeat, lambda: lk.anonymize(job.table, job.policy, seed=1))
    loss = "ncp" if "hierarchies" in job.what else "glm"
    print(
        f"{job.what:52}{job.table.height:>10,}{seconds:>10.3f}{seconds / unit(job.table.height):>8.1f}"
        f"{release.certificate.classes:>9,}{release.loss(loss)[loss]:>9.5f}  {job.against}",
        flush=True,
    )


if __name__ == "__main__":
    main()

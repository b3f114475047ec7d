import type { FileTime } from './file-times.ts'

/** Lists the slowest files of a run by wall-clock time, one line each. */
export function slowestFiles(times: readonly FileTime[], count: number): string[] {
  const slowest = times.toSorted((a, b) => b.wallSeconds - a.wallSeconds).slice(0, count)
  return [
    `slowest ${slowest.length} files (seconds of CPU time, of that in child processes):`,
    ...slowest.map(
      (time) =>
        `${shown(time.wallSeconds)} s  ${time.file} (${cpuSeconds(time).toFixed(1)}, ${time.childrenSeconds.toFixed(1)})`,
    ),
  ]
}

/** Sums the CPU time of all files and of each folder, and lists the files that took most of it. */
export function cpuTimes(times: readonly FileTime[], count: number): string[] {
  const folders = [...Map.groupBy(times, ({ file }) => file.split('/').slice(0, 2).join('/'))]
    .map(([folder, files]) => ({ folder, seconds: sum(files) }))
    .sort((a, b) => b.seconds - a.seconds)
  const most = times.toSorted((a, b) => cpuSeconds(b) - cpuSeconds(a)).slice(0, count)
  return [
    `CPU time of ${times.length} files and their child processes: ${sum(times).toFixed(0)} s`,
    ...folders.map(({ folder, seconds }) => `${shown(seconds)} s  ${folder}`),
    'files that took most CPU time (of that in child processes):',
    ...most.map(
      (time) => `${shown(cpuSeconds(time))} s  ${time.file} (${time.childrenSeconds.toFixed(1)} s)`,
    ),
  ]
}

function cpuSeconds({ ownSeconds, childrenSeconds }: FileTime): number {
  return ownSeconds + childrenSeconds
}

function sum(times: readonly FileTime[]): number {
  return times.reduce((all, time) => all + cpuSeconds(time), 0)
}

function shown(seconds: number): string {
  return seconds.toFixed(1).padStart(7)
}

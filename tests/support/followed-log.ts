import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { LogProgress, LogSink } from '../../src/monitoring/collect/access-log/log-follower.ts'
import { LogFollower } from '../../src/monitoring/collect/access-log/log-follower.ts'
import { temporaryFolder } from './temporary-files.ts'

const start = Date.UTC(2025, 9, 10)
const signal = new AbortController().signal
export const everything = { lines: 100_000, bytes: 1 << 30 }

/** Returns the n-th line of a log: one line per second, each with its number as path. */
export function lineOf(n: number): string {
  const [, day, month, year, time] =
    /(\d\d) (\w{3}) (\d{4}) ([\d:]{8})/.exec(new Date(start + n * 1000).toUTCString()) ?? []
  return `192.0.2.7 - - [${day}/${month}/${year}:${time} +0000] "GET /${n} HTTP/1.1" 200 1 "-" "test"\n`
}

export function lines(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, index) => lineOf(from + index)).join('')
}

export class Numbers implements LogSink {
  newest = 0
  readonly found: number[] = []
  readonly rest: string[] = []
  longLines = 0

  begin(): void {}

  line(bytes: Buffer, from: number, to: number): void {
    const text = bytes.toString('utf8', from, to)
    const number = /"GET \/(\d+) HTTP\/1\.1" 200 1 "-" "test"$/.exec(text)?.[1]
    if (number === undefined) this.rest.push(text)
    else {
      this.found.push(Number(number))
      this.newest = Math.max(this.newest, start + Number(number) * 1000)
    }
  }

  longLine(): void {
    this.longLines += 1
  }
}

/**
 * Creates a log in a folder of the test, and a follower of it; every read continues where the last one ended.
 */
export function followed(test: TestContext, name = 'access.log') {
  const folder = temporaryFolder(test)
  const path = join(folder, name)
  const sink = new Numbers()
  let follower = new LogFollower(path)
  let cursor: string | undefined
  test.after(() => follower.close())
  const log = {
    folder,
    path,
    sink,
    async read(limit = everything): Promise<LogProgress> {
      const before = sink.found.length
      const progress = await follower.read(cursor, sink, limit, signal)
      if (progress.cursor === undefined) sink.found.length = before
      cursor = progress.cursor ?? cursor
      return progress
    },
    async restart(): Promise<void> {
      await follower.close()
      follower = new LogFollower(path)
    },
    /** The numbers given since the last call. */
    take: () => sink.found.splice(0),
    inFolder: (file: string) => join(folder, file),
    compress(file: string): void {
      execFileSync('gzip', [join(folder, file)])
    },
  }
  return log
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}

import { Cron } from 'croner'
import { invalid } from '../../core/errors/errors.ts'
import { toInstant, toWallTime } from './wall-time.ts'

/** Runs at times of a calendar. */
export interface CronSchedule {
  /** Five fields (minute, hour, day of month, month, day of week), or a nickname such as `@daily`. */
  cron: string
  /** IANA name, such as `Europe/Berlin`. */
  timeZone: string
}

/** Runs when files of the data have changed. */
export interface WatchSchedule {
  watch: true
  /** Time without changes after which files are complete. */
  quietSeconds: number
}

export type Schedule = CronSchedule | WatchSchedule

export function isCron(schedule: Schedule | null): schedule is CronSchedule {
  return schedule !== null && 'cron' in schedule
}

export function isWatch(schedule: Schedule | null): schedule is WatchSchedule {
  return schedule !== null && 'watch' in schedule
}

/** Throws `Failure` (`invalid`) for an unknown time zone, an invalid expression, or one that never fires. */
export function checkSchedule(schedule: Schedule | null, now: Date): void {
  if (!isCron(schedule)) return
  const { cron, timeZone } = schedule
  try {
    new Intl.DateTimeFormat('en-US', { timeZone })
  } catch {
    throw invalid(
      'invalid-schedule',
      `"${timeZone}" is not a time zone: give the IANA name, such as Europe/Berlin`,
    )
  }
  try {
    openCron(cron)
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error)
    throw invalid(
      'invalid-schedule',
      `"${cron}" is not a schedule: give minute, hour, day of month, month and day of week, such as "0 3 * * *" (${reason})`,
    )
  }
  if (nextTime(schedule, now) === undefined) throw invalid('invalid-schedule', `"${cron}" matches no date`)
}

function openCron(cron: string): Cron {
  return new Cron(cron, { paused: true, timezone: 'UTC', mode: '5-part' })
}

/** A time zone repeats or skips at most a few hours; a schedule of minutes has this many times in a day. */
const maxSteps = 1500

/**
 * Returns the first time of a schedule after a time. The expression selects wall-clock times. All times in an
 * hour that daylight saving skips become one time, the end of that hour; a repeated time counts once, at its
 * first occurrence.
 */
export function nextTime({ cron, timeZone }: CronSchedule, after: Date): Date | undefined {
  const job = openCron(cron)
  let wall: Date | null = toWallTime(after, timeZone)
  for (let step = 0; step < maxSteps; step += 1) {
    wall = job.nextRun(wall)
    if (wall === null) return undefined
    const time = toInstant(wall, timeZone)
    if (time.getTime() > after.getTime()) return time
  }
  return undefined
}

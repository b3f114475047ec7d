import type { Source } from './types.ts'

export type Schedule = Source['schedule']

/** A cron expression of a common form; `other` has no words of its own. Times are `HH:MM`, Sunday is 0. */
type CronShape =
  | { kind: 'minutes'; every: number }
  | { kind: 'hourly'; minute: string }
  | { kind: 'daily'; time: string }
  | { kind: 'weekly'; day: number; time: string }
  | { kind: 'monthly'; day: number; time: string }
  | { kind: 'other' }

const nicknames: Record<string, string> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
}

const isNumber = (text: string, most: number): boolean => /^\d{1,2}$/.test(text) && Number(text) <= most

function padded(text: string): string {
  return text.padStart(2, '0')
}

/** Returns the form of a cron expression. */
export function readCron(cron: string): CronShape {
  const fields = (nicknames[cron.toLowerCase()] ?? cron).trim().split(/\s+/)
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  if (fields.length !== 5 || month !== '*') return { kind: 'other' }
  const isEveryDay = day === '*' && weekday === '*'
  const every = /^\*(?:\/(\d{1,2}))?$/.exec(minute)
  if (every !== null && hour === '*' && isEveryDay) return { kind: 'minutes', every: Number(every[1] ?? 1) }
  if (!isNumber(minute, 59)) return { kind: 'other' }
  if (hour === '*' && isEveryDay) return { kind: 'hourly', minute: padded(minute) }
  if (!isNumber(hour, 23)) return { kind: 'other' }
  const time = `${padded(hour)}:${padded(minute)}`
  if (isEveryDay) return { kind: 'daily', time }
  if (day === '*' && isNumber(weekday, 7)) return { kind: 'weekly', day: Number(weekday) % 7, time }
  if (weekday === '*' && isNumber(day, 31) && day !== '0') return { kind: 'monthly', day: Number(day), time }
  return { kind: 'other' }
}

export const scheduleChoices = ['none', 'hourly', 'daily', 'weekly', 'cron', 'watch'] as const
export type ScheduleChoice = (typeof scheduleChoices)[number]

/** Returns the entry of the form's list that a schedule belongs to. */
export function choiceOf(schedule: Schedule): ScheduleChoice {
  if (schedule === null) return 'none'
  if ('watch' in schedule) return 'watch'
  const { kind } = readCron(schedule.cron)
  return kind === 'hourly' || kind === 'daily' || kind === 'weekly' ? kind : 'cron'
}

/** Returns the schedule that the fields of the form describe. */
export function readSchedule(field: (name: string) => string): Schedule {
  const choice = scheduleChoices.find((one) => one === field('schedule')) ?? 'none'
  if (choice === 'none') return null
  if (choice === 'watch') return { watch: true, quietSeconds: Number(field('quietSeconds')) }
  const timeZone = field('timeZone').trim() || 'UTC'
  if (choice === 'cron') return { cron: field('cron').trim(), timeZone }
  if (choice === 'hourly') return { cron: `${Number(field('minute'))} * * * *`, timeZone }
  const [hour = '0', minute = '0'] = field('time').split(':')
  const weekday = choice === 'weekly' ? field('weekday') : '*'
  return { cron: `${Number(minute)} ${Number(hour)} * * ${weekday}`, timeZone }
}

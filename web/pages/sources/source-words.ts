import { weekdayNames } from '../../components/formats.ts'
import { sourceTexts } from '../../messages/sources/texts.ts'
import { readCron, type Schedule } from './schedule-shape.ts'
import { type SourceData, textOf } from './types.ts'

/** Describes a schedule, such as "Daily at 03:00 (Europe/Berlin)". */
export function scheduleText(schedule: Schedule): string {
  const texts = sourceTexts.value.word
  if (schedule === null) return texts.onRequest
  if ('watch' in schedule) return texts.whenFilesChange(schedule.quietSeconds ?? 10)
  const text = cronText(schedule.cron)
  return texts.inZone(text, schedule.timeZone ?? 'UTC')
}

function cronText(cron: string): string {
  const texts = sourceTexts.value.word
  const shape = readCron(cron)
  if (shape.kind === 'minutes') return texts.minutes(shape.every)
  if (shape.kind === 'hourly') return texts.hourly(shape.minute)
  if (shape.kind === 'daily') return texts.daily(shape.time)
  // The names begin with Monday, cron with Sunday.
  if (shape.kind === 'weekly') return texts.weekly(weekdayNames()[(shape.day + 6) % 7] ?? '', shape.time)
  return shape.kind === 'monthly' ? texts.monthly(shape.day, shape.time) : texts.cron(cron)
}

/** Describes the location of the data of a source. */
export function dataText(data: SourceData): string {
  if (data.type !== 'database')
    return [textOf(data, 'location'), textOf(data, 'layer')].filter(Boolean).join(' · ')
  const { parameters = {}, tables } = data as { parameters?: Record<string, unknown>; tables?: string[] }
  const host = [textOf(parameters, 'host'), textOf(parameters, 'database')].filter(Boolean).join('/')
  return [host, ...(Array.isArray(tables) ? [tables.join(', ')] : [])].filter(Boolean).join(' · ')
}

/** Names the target of a source; undefined if its layers are named after their files. */
export function targetText(target: Record<string, unknown>): string | undefined {
  const layer = textOf(target, 'layer')
  if (layer === '') return undefined
  const workspace = textOf(target, 'workspace')
  return workspace === '' ? layer : `${workspace}:${layer}`
}

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { choiceOf, readCron, readSchedule, type Schedule } from './schedule-shape.ts'

const fieldsOf = (fields: Record<string, string>) => (name: string) => fields[name] ?? ''

describe('a schedule in the form of a source', () => {
  it('has words for common cron expressions, and none for others', () => {
    const shapes: [string, ReturnType<typeof readCron>][] = [
      ['0 3 * * *', { kind: 'daily', time: '03:00' }],
      ['@daily', { kind: 'daily', time: '00:00' }],
      ['5 * * * *', { kind: 'hourly', minute: '05' }],
      ['@hourly', { kind: 'hourly', minute: '00' }],
      ['*/15 * * * *', { kind: 'minutes', every: 15 }],
      ['* * * * *', { kind: 'minutes', every: 1 }],
      ['30 6 * * 7', { kind: 'weekly', day: 0, time: '06:30' }],
      ['0 0 1 * *', { kind: 'monthly', day: 1, time: '00:00' }],
      ['0 3 * * 1-5', { kind: 'other' }],
      ['0 3 1 1 *', { kind: 'other' }],
      ['0 3,15 * * *', { kind: 'other' }],
      ['0 25 * * *', { kind: 'other' }],
      ['nonsense', { kind: 'other' }],
    ]
    for (const [cron, shape] of shapes) assert.deepEqual(readCron(cron), shape, cron)
  })

  it('comes back from its fields as it was', () => {
    const timeZone = 'Europe/Berlin'
    const cases: [Schedule, Record<string, string>][] = [
      [null, {}],
      [{ watch: true, quietSeconds: 30 }, { quietSeconds: '30' }],
      [
        { cron: '5 * * * *', timeZone },
        { minute: '5', timeZone },
      ],
      [
        { cron: '30 2 * * *', timeZone },
        { time: '02:30', timeZone },
      ],
      [
        { cron: '0 22 * * 5', timeZone },
        { time: '22:00', weekday: '5', timeZone },
      ],
      [
        { cron: '0 3 * * 1-5', timeZone },
        { cron: '0 3 * * 1-5', timeZone },
      ],
    ]
    for (const [schedule, fields] of cases)
      assert.deepEqual(readSchedule(fieldsOf({ ...fields, schedule: choiceOf(schedule) })), schedule)
  })

  it('is in UTC without a time zone', () => {
    const schedule = readSchedule(fieldsOf({ schedule: 'daily', time: '03:00', timeZone: ' ' }))
    assert.deepEqual(schedule, { cron: '0 3 * * *', timeZone: 'UTC' })
  })
})

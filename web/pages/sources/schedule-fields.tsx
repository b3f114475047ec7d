import { useSignal } from '@preact/signals'
import { useId, useMemo } from 'preact/hooks'
import { Field } from '../../components/field.tsx'
import { weekdayNames } from '../../components/formats.ts'
import { SelectField } from '../../components/select-field.tsx'
import { sourceTexts } from '../../messages/sources/texts.ts'
import { choiceOf, readCron, type Schedule, type ScheduleChoice, scheduleChoices } from './schedule-shape.ts'

const usualTime = '03:00'
const usualQuietSeconds = 10

interface ScheduleProps {
  schedule: Schedule
  /** True if the data are files, whose changes can be watched. */
  isWatchable: boolean
}

/** Fields of the schedule. */
export function ScheduleFields({ schedule, isWatchable }: ScheduleProps) {
  const texts = sourceTexts.value.form
  const choice = useSignal<ScheduleChoice>(choiceOf(schedule))
  const offered = scheduleChoices.filter((one) => one !== 'watch' || isWatchable)
  const shown = offered.includes(choice.value) ? choice.value : 'none'
  return (
    <div class="fields">
      <SelectField
        name="schedule"
        label={texts.every}
        value={shown}
        options={offered.map((value) => ({ value, text: texts.choices[value] }))}
        onChange={(next) => {
          choice.value = scheduleChoices.find((one) => one === next) ?? 'none'
        }}
      />
      {shown === 'watch' && (
        <Field
          name="quietSeconds"
          type="number"
          min={1}
          max={86_400}
          required
          label={texts.quiet}
          defaultValue={String(quietSecondsOf(schedule))}
        />
      )}
      {shown !== 'none' && shown !== 'watch' && <CronFields choice={shown} schedule={schedule} />}
    </div>
  )
}

function quietSecondsOf(schedule: Schedule): number {
  const seconds = schedule !== null && 'watch' in schedule ? schedule.quietSeconds : undefined
  return seconds ?? usualQuietSeconds
}

function CronFields({ choice, schedule }: { choice: ScheduleChoice; schedule: Schedule }) {
  const texts = sourceTexts.value.form
  const cron = schedule !== null && 'cron' in schedule ? schedule : { cron: '0 3 * * *' }
  const shape = readCron(cron.cron)
  return (
    <>
      {choice === 'hourly' && (
        <Field
          name="minute"
          type="number"
          min={0}
          max={59}
          required
          label={texts.minute}
          defaultValue={shape.kind === 'hourly' ? String(Number(shape.minute)) : '0'}
        />
      )}
      {choice === 'weekly' && (
        <SelectField
          name="weekday"
          label={texts.day}
          value={shape.kind === 'weekly' ? String(shape.day) : '1'}
          options={weekdayNames().map((text, at) => ({ value: String((at + 1) % 7), text }))}
        />
      )}
      {(choice === 'daily' || choice === 'weekly') && (
        <Field
          name="time"
          type="time"
          required
          label={texts.time}
          defaultValue={shape.kind === 'daily' || shape.kind === 'weekly' ? shape.time : usualTime}
        />
      )}
      {choice === 'cron' && (
        <Field name="cron" required label={texts.cron} hint={texts.cronHint} defaultValue={cron.cron} />
      )}
      <ZoneField timeZone={cron.timeZone ?? (schedule === null ? ownZone() : 'UTC')} />
    </>
  )
}

function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

function ZoneField({ timeZone }: { timeZone: string }) {
  const id = useId()
  const zones = useMemo(() => Intl.supportedValuesOf('timeZone'), [])
  return (
    <div>
      <Field
        name="timeZone"
        label={sourceTexts.value.form.zone}
        required
        list={`${id}-zones`}
        defaultValue={timeZone}
      />
      <datalist id={`${id}-zones`}>
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </div>
  )
}

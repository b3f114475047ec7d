import { useId, useMemo } from 'preact/hooks'
import { alertTexts } from '../../messages/alerts/texts.ts'
import { someOf } from './alert-subjects.ts'
import type { Draft, FieldDraft, Narrowing } from './draft.ts'
import { emptyField } from './draft.ts'
import type { Option } from './types.ts'

/** A comparison of the sentence. */
export interface Clause extends Narrowing {
  title: string
  option: Option
  unit: string
  /** Values that may be chosen; null where any number may be typed. */
  choices: readonly string[] | null
  least: string | null
  most: string | null
}

interface Props {
  draft: Draft
  clauses: readonly Clause[]
  services: readonly string[]
  /** Resources, such as `layer=ws:roads`. */
  resources: readonly string[]
  onChange(draft: Draft): void
}

/** An alert as a sentence whose words are fields. */
export function AlertSentence({ draft, clauses, services, resources, onChange }: Props) {
  const texts = alertTexts.value
  const set = (changes: Partial<Draft>): void => onChange({ ...draft, ...changes })
  return (
    <div class="sentence">
      {texts.tell}{' '}
      <input
        class="in mails"
        aria-label={texts.receivers}
        title={texts.receiversHint}
        placeholder={texts.nobody}
        value={draft.emails}
        onInput={({ currentTarget }) => set({ emails: currentTarget.value })}
      />{' '}
      {texts.when}{' '}
      {clauses.map((clause, at) => (
        <ClauseFields
          key={clause.field_name}
          {...{ clause, services, resources }}
          isFirst={at === 0}
          field={draft.fields[clause.field_name] ?? emptyField}
          onChange={(field) => set({ fields: { ...draft.fields, [clause.field_name]: field } })}
        />
      ))}
      {texts.within}{' '}
      <NumberField
        label={texts.windowLabel}
        value={draft.windowMinutes}
        least="1"
        onInput={(windowMinutes) => set({ windowMinutes })}
      />{' '}
      {texts.minutes}
      {texts.again}{' '}
      <NumberField
        label={texts.graceLabel}
        value={draft.graceMinutes}
        least="0"
        onInput={(graceMinutes) => set({ graceMinutes })}
      />{' '}
      {texts.until}
    </div>
  )
}

interface ClauseProps extends Pick<Props, 'services' | 'resources'> {
  clause: Clause
  field: FieldDraft
  isFirst: boolean
  onChange(field: FieldDraft): void
}

function ClauseFields({ clause, field, services, resources, isFirst, onChange }: ClauseProps) {
  const texts = alertTexts.value
  const {
    title,
    option,
    unit,
    use_service: isByService,
    use_resource: isByResource,
    use_label: isByLabel,
  } = clause
  const set = (changes: Partial<FieldDraft>): void => onChange({ ...field, ...changes })
  const labelOf = (what: string): string => `${what}: ${title}`
  return (
    <span class="clause">
      {!isFirst && ', '}
      <b dir="auto">{title}</b> {(isByService || isByResource || isByLabel) && `${texts.of} `}
      {isByService && (
        <select
          class="in"
          aria-label={labelOf(texts.server)}
          value={field.service}
          onChange={({ currentTarget }) => set({ service: currentTarget.value })}
        >
          <option value="">{texts.anyServer}</option>
          {[...new Set([...services, ...(field.service === '' ? [] : [field.service])])].map((one) => (
            <option key={one} value={one}>
              {one.slice(0, 80)}
            </option>
          ))}
        </select>
      )}{' '}
      {isByResource && (
        <ResourceField
          label={labelOf(texts.layer)}
          value={field.resource}
          resources={resources}
          onInput={(resource) => set({ resource })}
        />
      )}{' '}
      {isByLabel && (
        <input
          class="in"
          aria-label={labelOf(texts.label)}
          placeholder={texts.anyLabel}
          title={texts.labelHint}
          value={field.label}
          onInput={({ currentTarget }) => set({ label: currentTarget.value })}
        />
      )}{' '}
      {texts.comparisons[option] ?? option}{' '}
      <Threshold clause={clause} field={field} onInput={(value) => set({ value })} />{' '}
      {option === 'max_timeout' ? texts.seconds : unit === 'Count' || unit === 'Rate' ? '' : unit}{' '}
    </span>
  )
}

interface ResourceProps extends Pick<Props, 'resources'> {
  label: string
  value: string
  onInput(value: string): void
}

function ResourceField({ label, value, resources, onInput }: ResourceProps) {
  const list = useId()
  const offered = useMemo(() => someOf(resources, value), [resources, value])
  return (
    <>
      <input
        class="in"
        list={list}
        aria-label={label}
        placeholder={alertTexts.value.anyLayer}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <datalist id={list}>
        {offered.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  )
}

interface ThresholdProps {
  clause: Clause
  field: FieldDraft
  onInput(value: string): void
}

function Threshold({ clause: { title, choices, least, most }, field: { value }, onInput }: ThresholdProps) {
  const texts = alertTexts.value
  const label = texts.thresholdOf(title)
  if (choices === null)
    return (
      <NumberField
        label={label}
        value={value}
        least={least}
        most={most}
        title={texts.unset}
        onInput={onInput}
      />
    )
  const all = choices.map((one) => String(Number(one)))
  return (
    <select
      class="in"
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onInput(currentTarget.value)}
    >
      <option value="">{texts.unset}</option>
      {(value === '' || all.includes(value) ? all : [value, ...all]).map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </select>
  )
}

interface NumberProps {
  label: string
  value: string
  least?: string | null
  most?: string | null
  title?: string
  onInput(value: string): void
}

function NumberField({ label, value, least, most, title, onInput }: NumberProps) {
  return (
    <input
      class="in short num"
      type="number"
      step="any"
      aria-label={label}
      title={title}
      min={least ?? undefined}
      max={most ?? undefined}
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  )
}

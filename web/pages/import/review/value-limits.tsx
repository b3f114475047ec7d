import { useId } from 'preact/hooks'
import { Icon } from '../../../components/icon.tsx'
import { decidingTexts } from '../../../messages/import/texts.ts'
import type { StopIf, ValueRule } from '../types.ts'
import { useKeptText } from './use-stored-text.ts'

interface ValueLimitsProps {
  rules: StopIf
  /** Columns of the layer. */
  columns: readonly { name: string }[]
  put(change: StopIf): void
}

/** Allowed values of columns: a range, or a list. */
export function ValueLimits({ rules, columns, put }: ValueLimitsProps) {
  const texts = decidingTexts.value
  const values = rules.values ?? {}
  const set = (name: string, rule: ValueRule | undefined): void => {
    const next = Object.fromEntries(
      Object.entries({ ...values, [name]: rule }).flatMap(([key, one]) =>
        one === undefined ? [] : [[key, one] as const],
      ),
    )
    put({ values: Object.keys(next).length === 0 ? undefined : next })
  }
  const free = columns.filter(({ name }) => values[name] === undefined)
  return (
    <>
      {Object.entries(values).map(([name, rule]) => (
        <li key={name}>
          <ValuesOf name={name} rule={rule} onChange={(next) => set(name, next)} />
        </li>
      ))}
      {free.length > 0 && (
        <li>
          <Icon name="plus" />{' '}
          <select
            class="in"
            aria-label={texts.valuesColumn}
            value=""
            onChange={({ currentTarget }) => set(currentTarget.value, { min: 0 })}
          >
            <option value="">{texts.valuesColumn}</option>
            {free.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </li>
      )}
    </>
  )
}

interface ValuesOfProps {
  name: string
  rule: ValueRule
  onChange(rule: ValueRule | undefined): void
}

function ValuesOf({ name, rule, onChange }: ValuesOfProps) {
  const texts = decidingTexts.value
  const change = (part: 'min' | 'max', text: string): void =>
    onChange({ ...without(rule, part), ...(text.trim() !== '' && { [part]: numberOrText(text) }) })
  const bound = (part: 'min' | 'max', label: string) => (
    <input
      class="in few"
      dir="auto"
      maxLength={100}
      aria-label={label}
      defaultValue={rule[part] === undefined ? '' : String(rule[part])}
      onChange={({ currentTarget }) => change(part, currentTarget.value)}
    />
  )
  return (
    <>
      <b dir="auto">{name}</b> {texts.isLess} {bound('min', texts.leastOf(name))} {texts.orMore}{' '}
      {bound('max', texts.mostOf(name))} {texts.orNone}{' '}
      <input
        class="in"
        dir="auto"
        maxLength={4000}
        aria-label={texts.allowedOf(name)}
        placeholder={texts.commas}
        defaultValue={(rule.in ?? []).map(String).join(', ')}
        onChange={({ currentTarget }) => {
          const allowed = currentTarget.value.split(',').map((one) => one.trim())
          const given = allowed.filter((one) => one !== '').map(numberOrText)
          onChange({ ...without(rule, 'in'), ...(given.length > 0 && { in: given }) })
        }}
      />{' '}
      <button
        type="button"
        class="btn quiet ic sm"
        aria-label={texts.removeValues(name)}
        onClick={() => onChange(undefined)}
      >
        <Icon name="x" />
      </button>
    </>
  )
}

function without(rule: ValueRule, part: keyof ValueRule): ValueRule {
  return Object.fromEntries(Object.entries(rule).filter(([name]) => name !== part))
}

/** Returns a number if the text is numeric. */
function numberOrText(text: string): string | number {
  const value = Number(text)
  return text.trim() === '' || !Number.isFinite(value) ? text : value
}

/** An area that no row may reach out of, in the coordinates of the layer. */
export function OutsideLimit({ rules, put }: Omit<ValueLimitsProps, 'columns'>) {
  const texts = decidingTexts.value
  const id = useId()
  const shown = rules.outside?.join(', ') ?? ''
  const field = useKeptText(shown)
  return (
    <li>
      <label for={id}>{texts.outsideOf}</label>{' '}
      <input
        ref={field}
        class="in"
        id={id}
        inputMode="text"
        maxLength={200}
        placeholder="minx, miny, maxx, maxy"
        defaultValue={shown}
        onChange={({ currentTarget }) => {
          const text = currentTarget.value.trim()
          const edges = text.split(/[\s,;]+/).map(Number)
          const isBox = edges.length === 4 && edges.every(Number.isFinite)
          currentTarget.setCustomValidity(text === '' || isBox ? '' : texts.boxHint)
          if (text === '') put({ outside: undefined })
          else if (isBox) put({ outside: edges })
          else currentTarget.reportValidity()
        }}
      />
    </li>
  )
}

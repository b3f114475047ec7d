import { Icon } from '../../../components/icon.tsx'
import { filterTexts } from '../../../messages/layer/filter/texts.ts'
import type { Condition, FilterColumn, Sign } from './filter-text.ts'
import { asksForValue, signsOf } from './filter-text.ts'

interface ConditionFieldsProps {
  columns: readonly FilterColumn[]
  condition: Condition
  onChange(condition: Condition): void
  onRemove(): void
}

const maxLetters = 200

/** Condition on the values of one column. */
export function ConditionFields({ columns, condition, onChange, onRemove }: ConditionFieldsProps) {
  const texts = filterTexts.value
  const { name, sign } = condition
  const known = columns.some((one) => one.name === name)
  const kind = columns.find((one) => one.name === name)?.kind ?? 'text'
  const signs: readonly Sign[] = signsOf[kind].includes(sign) ? signsOf[kind] : [sign, ...signsOf[kind]]
  return (
    <div class="row wrap condition">
      <select
        class="in"
        aria-label={texts.column}
        value={name}
        onChange={({ currentTarget: { value } }) => {
          const next = columns.find((one) => one.name === value)?.kind ?? 'text'
          const [first = '='] = signsOf[next]
          const isKept = next === kind
          onChange({
            name: value,
            sign: isKept ? sign : first,
            value: isKept ? condition.value : next === 'truth' ? 'true' : '',
          })
        }}
      >
        {!known && <option value={name}>{name.slice(0, maxLetters)}</option>}
        {columns.map((one) => (
          <option key={one.name} value={one.name}>
            {one.name.slice(0, maxLetters)}
          </option>
        ))}
      </select>
      <select
        class="in"
        aria-label={texts.sign}
        value={sign}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...condition, sign: signs.find((one) => one === value) ?? '=' })
        }
      >
        {signs.map((one) => (
          <option key={one} value={one}>
            {texts.signs[one]}
          </option>
        ))}
      </select>
      {asksForValue(sign) && <ValueField condition={condition} kind={kind} onChange={onChange} />}
      <button
        type="button"
        class="btn quiet ic sm"
        aria-label={texts.remove(name.slice(0, maxLetters))}
        onClick={onRemove}
      >
        <Icon name="x" />
      </button>
    </div>
  )
}

interface ValueFieldProps extends Pick<ConditionFieldsProps, 'condition' | 'onChange'> {
  kind: FilterColumn['kind']
}

function ValueField({ condition, kind, onChange }: ValueFieldProps) {
  const texts = filterTexts.value
  const set = (value: string): void => onChange({ ...condition, value })
  if (kind === 'truth')
    return (
      <select
        class="in"
        aria-label={texts.value}
        value={condition.value}
        onChange={({ currentTarget }) => set(currentTarget.value)}
      >
        <option value="true">{texts.truth.true}</option>
        <option value="false">{texts.truth.false}</option>
      </select>
    )
  return (
    <input
      class="in"
      dir="auto"
      aria-label={texts.value}
      value={condition.value}
      inputMode={kind === 'number' ? ('decimal' as const) : undefined}
      placeholder={kind === 'time' ? '2026-11-23' : undefined}
      onInput={({ currentTarget }) => set(currentTarget.value)}
    />
  )
}

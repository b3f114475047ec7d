import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { Icon } from '../../../components/icon.tsx'
import { Refused } from '../../../components/states.tsx'
import { setQuery } from '../../../lib/router.ts'
import { filterTexts } from '../../../messages/layer/filter/texts.ts'
import { ConditionFields } from './condition-fields.tsx'
import type { Condition, FilterColumn, ValueKind } from './filter-text.ts'
import { asksForValue, conditionsOf, signsOf, toFilterText } from './filter-text.ts'
import type { Filtered } from './filtered-rows.ts'
import { requestedFilter } from './requested-filter.ts'

interface FilterPanelProps {
  columns: readonly FilterColumn[]
  /** Result of the address's filter. */
  filtered: Filtered | undefined
}

/** Filter for map and table: conditions on columns, or CQL2 text. It is in the address. */
export function FilterPanel({ columns, filtered }: FilterPanelProps) {
  const texts = filterTexts.value
  const applied = requestedFilter()
  const conditions = useSignal<Condition[]>([])
  const text = useSignal('')
  useEffect(() => {
    conditions.value = conditionsOf(applied ?? '') ?? []
    text.value = applied ?? ''
  }, [applied])
  const kindOf = (name: string): ValueKind => columns.find((one) => one.name === name)?.kind ?? 'text'
  const change = (next: Condition[]): void => {
    conditions.value = next
    text.value = toFilterText(next.filter(isWhole), kindOf)
  }
  const [first] = columns
  if (first === undefined) return null
  const add = (): void => {
    const [sign = '='] = signsOf[first.kind]
    change([...conditions.value, { name: first.name, sign, value: first.kind === 'truth' ? 'true' : '' }])
  }
  const isOpen = applied !== undefined || conditions.value.length > 0 || text.value !== ''
  if (!isOpen) return <Begin onBegin={add} />
  const clear = (): void => {
    change([])
    setQuery({ filter: undefined }, { isReplaced: false })
  }
  return (
    <form
      class="panel lay-filter"
      aria-label={texts.filter}
      onSubmit={(event) => {
        event.preventDefault()
        setQuery({ filter: text.value.trim() || undefined }, { isReplaced: false })
      }}
    >
      <PanelHead filtered={filtered} />
      <div class="body stack s2">
        {conditions.value.map((one, at) => (
          <ConditionFields
            key={at}
            columns={columns}
            condition={one}
            onChange={(next) => change(conditions.value.with(at, next))}
            onRemove={() => change(conditions.value.toSpliced(at, 1))}
          />
        ))}
        <Refused error={filtered?.error} />
        <div class="row wrap">
          <button type="submit" class="btn main sm" disabled={text.value.trim() === (applied ?? '')}>
            {texts.apply}
          </button>
          {/* A text that conditions cannot express is edited as text. */}
          {(conditions.value.length > 0 || text.value === '') && (
            <button type="button" class="btn sm" onClick={add}>
              <Icon name="plus" />
              {texts.more}
            </button>
          )}
          <button type="button" class="btn sm" onClick={clear}>
            {texts.clear}
          </button>
        </div>
        <FilterText
          text={text.value}
          isOpen={conditions.value.length === 0 && text.value !== ''}
          onChange={(next) => {
            text.value = next
            conditions.value = conditionsOf(next) ?? []
          }}
        />
      </div>
    </form>
  )
}

function Begin({ onBegin }: { onBegin(): void }) {
  return (
    <div>
      <button type="button" class="btn sm" onClick={onBegin}>
        <Icon name="filter" />
        {filterTexts.value.add}
      </button>
    </div>
  )
}

function PanelHead({ filtered }: Pick<FilterPanelProps, 'filtered'>) {
  const texts = filterTexts.value
  return (
    <header>
      <h2>{texts.filter}</h2>
      <span class="dim small" role="status">
        {filtered === undefined ? texts.hint : reportOf(filtered)}
      </span>
    </header>
  )
}

function reportOf({ rows, total, isWhole, error }: Filtered): string {
  const texts = filterTexts.value
  if (!isWhole || error !== undefined) return ''
  return rows !== undefined && rows.length < total ? texts.partOnMap(rows.length, total) : texts.found(total)
}

/** The filter as programs take it. */
function FilterText({
  text,
  isOpen,
  onChange,
}: {
  text: string
  isOpen: boolean
  onChange(text: string): void
}) {
  const texts = filterTexts.value
  const id = useId()
  return (
    <details open={isOpen}>
      <summary>{texts.asText}</summary>
      <div class="field">
        <label class="vh" for={id}>
          {texts.text}
        </label>
        <textarea
          id={id}
          class="in mono"
          dir="auto"
          rows={3}
          spellcheck={false}
          aria-describedby={`${id}-hint`}
          value={text}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
        <p class="hint" id={`${id}-hint`}>
          {texts.textHint}
        </p>
      </div>
    </details>
  )
}

/** An empty text value is valid; other types require a value. */
function isWhole({ sign, value }: Condition): boolean {
  return !asksForValue(sign) || value !== ''
}

import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from '../../../components/icon.tsx'
import { query, setQuery } from '../../../lib/router.ts'
import { historyTexts, importTexts } from '../../../messages/import/texts.ts'
import { type Counts, filters } from './past-imports.ts'

const typingMs = 150

/** Search, state, creator and days, with counts; all of them in the address. */
export function HistoryFilters({ counts, total }: { counts: Counts | undefined; total: number | undefined }) {
  const texts = historyTexts.value
  const isNarrowed = filters.some((name) => query.value.has(name))
  const states = Object.entries(counts?.states ?? {}).map(([state, count]) => ({
    value: state,
    text: texts.withCount(importTexts.value.states(state), count),
  }))
  const users = Object.entries(counts?.users ?? {})
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => ({ value: name, text: texts.withCount(name, count) }))
  return (
    <search class="pastfilter">
      <Search />
      <Choice name="state" label={texts.state} none={texts.anyState} options={states} />
      <Choice name="who" label={texts.who} none={texts.anybody} options={users} />
      <Day name="from" label={texts.from} />
      <Day name="to" label={texts.to} />
      <p class="row found-of">
        <span role="status" class="dim">
          {total !== undefined && texts.total(total)}
        </span>
        {isNarrowed && (
          <button
            type="button"
            class="btn quiet sm"
            onClick={() =>
              setQuery(Object.fromEntries(filters.map((name) => [name, undefined])), { isReplaced: false })
            }
          >
            <Icon name="x" />
            {texts.clear}
          </button>
        )}
      </p>
    </search>
  )
}

function Search() {
  const texts = historyTexts.value
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const timer = useRef(0)
  const words = query.value.get('q') ?? ''
  useEffect(() => {
    // Shows the search words of the address, unless the reader is typing.
    if (input.current !== null && document.activeElement !== input.current) input.current.value = words
  }, [words])
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <div class="field words">
      <label for={id}>{texts.search}</label>
      <input
        ref={input}
        id={id}
        class="in"
        type="search"
        dir="auto"
        maxLength={500}
        defaultValue={words}
        onInput={({ currentTarget }) => {
          clearTimeout(timer.current)
          timer.current = window.setTimeout(() => setQuery({ q: currentTarget.value.trim() }), typingMs)
        }}
      />
    </div>
  )
}

interface ChoiceProps {
  name: 'state' | 'who'
  label: string
  /** Label of the empty choice. */
  none: string
  options: readonly { value: string; text: string }[]
}

function Choice({ name, label, none, options }: ChoiceProps) {
  const id = useId()
  const chosen = query.value.get(name) ?? ''
  const isKnown = chosen === '' || options.some(({ value }) => value === chosen)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        class="in"
        id={id}
        value={chosen}
        onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value }, { isReplaced: false })}
      >
        <option value="">{none}</option>
        {!isKnown && <option value={chosen}>{chosen}</option>}
        {options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

function Day({ name, label }: { name: 'from' | 'to'; label: string }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        type="date"
        class="in"
        id={id}
        value={query.value.get(name) ?? ''}
        onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value }, { isReplaced: false })}
      />
    </div>
  )
}

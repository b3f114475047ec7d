import type { VNode } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { UserOptions, useUserNames } from '../../access/user-input.tsx'
import { Icon } from '../../components/icon.tsx'
import { query, setQuery } from '../../lib/router.ts'
import { auditTexts } from '../../messages/audit/texts.ts'
import { termNames } from './audit-entries.ts'

/** Actions, or what they begin with, that the input offers; any other can be typed. */
const offered = [
  'sign-in',
  'sign-out',
  'user',
  'group',
  'permissions',
  'token',
  'workspace',
  'layer',
  'feature',
  'import',
  'style',
  'data-store',
  'audit',
]

/** Filters of the audit log; they are in the address. */
export function AuditFilters() {
  const texts = auditTexts.value
  const form = useRef<HTMLFormElement>(null)
  useUserNames()
  const apply = (): void => {
    const data = new FormData(form.current ?? undefined)
    const terms = termNames.map((name) => [name, String(data.get(name) ?? '').trim()])
    setQuery({ ...Object.fromEntries(terms), after: undefined }, { isReplaced: false })
  }
  const clear = (): void => {
    setQuery(Object.fromEntries([...termNames, 'after'].map((name) => [name, undefined])), {
      isReplaced: false,
    })
    for (const input of form.current?.querySelectorAll('input') ?? []) input.value = ''
  }
  const isFiltered = termNames.some((name) => query.value.has(name))
  return (
    <search>
      <form
        ref={form}
        class="audit-filters"
        aria-label={texts.filters}
        onSubmit={(event) => {
          event.preventDefault()
          apply()
        }}
      >
        <Term name="user" label={texts.user} options={(id) => <UserOptions id={id} />} />
        <Term
          name="action"
          label={texts.action}
          placeholder={texts.actionHint}
          options={(id) => (
            <datalist id={id}>
              {offered.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          )}
        />
        <Term name="resource" label={texts.resource} placeholder={texts.resourceHint} />
        <Term name="from" label={texts.from} isDay />
        <Term name="to" label={texts.to} isDay />
        <div class="row wrap acts">
          <button type="submit" class="btn main">
            <Icon name="filter" />
            {texts.filter}
          </button>
          {isFiltered && (
            <button type="button" class="btn" onClick={clear}>
              {texts.clear}
            </button>
          )}
        </div>
      </form>
    </search>
  )
}

interface TermProps {
  name: (typeof termNames)[number]
  label: string
  placeholder?: string
  isDay?: boolean
  options?(id: string): VNode
}

function Term({ name, label, placeholder, isDay = false, options }: TermProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        class="in"
        id={id}
        type={isDay ? 'date' : 'text'}
        name={name}
        list={options === undefined ? undefined : `${id}l`}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder={placeholder}
        maxLength={1000}
        // Follows the address, such as with the back button.
        key={query.value.get(name) ?? ''}
        defaultValue={query.value.get(name) ?? ''}
      />
      {options?.(`${id}l`)}
    </div>
  )
}

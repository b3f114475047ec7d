import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { call } from '../api/client.ts'
import type { Calls } from '../api/openapi.d.ts'
import { Icon } from '../components/icon.tsx'
import { reasonOf } from '../components/states.tsx'
import { mapTexts } from '../messages/map/texts.ts'

type Card = Calls['GET /rest/catalogue/layers']['answer']['layers'][number]

const shownCards = 8

interface Props {
  /** Layers that are added already. */
  taken: readonly string[]
  /** Only layers of this workspace; absent: of all. */
  workspace?: string | undefined
  onAdd(id: string): void
}

/** Search for layers to add to a map or group. */
export function AddLayer({ taken, workspace: within, onAdd }: Props) {
  const texts = mapTexts.value
  const field = useId()
  const words = useSignal('')
  const found = useSignal<Card[] | undefined>(undefined)
  const error = useSignal<unknown>(undefined)
  useEffect(() => {
    const asking = new AbortController()
    const query = { q: words.value, workspace: within, limit: shownCards + taken.length }
    call<{ layers: Card[] }>({ path: '/rest/catalogue/layers', query }, asking.signal).then(
      ({ layers }) => {
        error.value = undefined
        found.value = layers
      },
      (reason: unknown) => {
        if (!asking.signal.aborted) error.value = reason
      },
    )
    return () => asking.abort()
  }, [words.value, within])
  const cards = (found.value ?? []).filter(
    ({ workspace, name, kind }) => kind !== 'table' && !taken.includes(`${workspace}:${name}`),
  )
  return (
    <div class="stack s2">
      <div class="field">
        <label for={field}>{texts.add}</label>
        <input
          class="in"
          id={field}
          type="search"
          dir="auto"
          value={words.value}
          onKeyDown={(event) => {
            // The search may be in a form, which it does not send.
            if (event.key === 'Enter') event.preventDefault()
          }}
          onInput={({ currentTarget }) => {
            words.value = currentTarget.value
          }}
        />
      </div>
      {error.value !== undefined && (
        <p class="err small" role="alert" dir="auto">
          {reasonOf(error.value)}
        </p>
      )}
      <ul class="map-found">
        {cards.slice(0, shownCards).map(({ workspace, name, title }) => (
          <li key={`${workspace}:${name}`}>
            <button type="button" class="btn quiet sm" onClick={() => onAdd(`${workspace}:${name}`)}>
              <Icon name="plus" />
              <span class="cut" dir="auto">
                {title}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

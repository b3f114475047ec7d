import { useEffect, useMemo } from 'preact/hooks'
import { call } from '../../../api/client.ts'
import { Icon } from '../../../components/icon.tsx'
import { reasonOf } from '../../../components/states.tsx'
import { Resource } from '../../../lib/resource.ts'
import { decidingTexts } from '../../../messages/import/texts.ts'
import type { Proposal, Task } from '../types.ts'

interface KeysProps {
  path: string
  task: Task
  /** Columns of the layer. */
  columns: readonly { name: string }[]
  send(body: object): Promise<void>
}

const maxProposed = 4

/** Choice of key columns that match rows of data and layer, with the evidence for each proposal. */
export function Keys({ path, task, columns, send }: KeysProps) {
  const texts = decidingTexts.value
  const { keys = [], updateMode, deleteMissing = false } = task
  const found = useMemo(
    () =>
      new Resource<{ proposals: Proposal[]; whole: boolean }>((signal) =>
        call({ path: `${path}/proposals`, query: { wait: 20 } }, signal),
      ),
    [path, updateMode, task.layer?.name],
  )
  useEffect(() => {
    void found.load()
    return () => found.stop()
  }, [found])
  const { value, error, isLoading } = found.state.value
  const proposed = (value?.proposals ?? []).filter(({ kind }) => kind === 'keys').slice(0, maxProposed)
  const own = columns.filter(({ name }) => !proposed.some(({ keys: [first] = [] }) => first === name))
  return (
    <fieldset class="field plain keys">
      <legend class="lbl">{texts.keys}</legend>
      {keys.length > 0 && (
        <p class="row wrap">
          <Icon name="key" />
          <b dir="auto">{keys.join(', ')}</b>
          <button type="button" class="btn quiet sm" onClick={() => void send({ keys: [] })}>
            {texts.otherKey}
          </button>
        </p>
      )}
      {keys.length === 0 && (
        <>
          <p class="hint">{updateMode === 'UPSERT' ? texts.keysNeeded : texts.keysHelp}</p>
          {isLoading && <p class="dim">{texts.keysLooked}</p>}
          {error !== undefined && <p class="dim">{reasonOf(error)}</p>}
          <ul class="stack s2">
            {proposed.map(({ keys: some = [], evidence }) => (
              <li key={some.join()} class="proposal">
                <button type="button" class="btn sm" onClick={() => void send({ keys: some })}>
                  <Icon name="key" />
                  <span class="cell" dir="auto">
                    {some.join(', ')}
                  </span>
                </button>
                <span class="dim" dir="auto">
                  {evidence}
                </span>
              </li>
            ))}
          </ul>
          {value !== undefined && proposed.length === 0 && <p class="dim">{texts.noKeys}</p>}
          {own.length > 0 && (
            <select
              class="in"
              aria-label={texts.anotherColumn}
              value=""
              onChange={({ currentTarget }) => void send({ keys: [currentTarget.value] })}
            >
              <option value="">{texts.anotherColumn}</option>
              {own.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </>
      )}
      {updateMode === 'UPSERT' && (
        <label class="check">
          <input
            type="checkbox"
            checked={deleteMissing}
            onChange={({ currentTarget }) => void send({ deleteMissing: currentTarget.checked })}
          />
          {texts.deleteMissing}
        </label>
      )}
    </fieldset>
  )
}

import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { formatTime } from '../../lib/numbers.ts'
import { Resource } from '../../lib/resource.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import { messages } from '../../messages/messages.ts'
import { CopyAsCurl } from '../../parts/copy-as-curl.tsx'
import { Icon } from '../../parts/icon.tsx'
import { reasonOf } from '../../parts/states.tsx'
import { say } from '../../parts/toasts.tsx'
import { isStaff } from '../../session/session.ts'
import { type Call, call } from '../../wire/client.ts'
import type { Version } from './wire.ts'

/** What the layer was, the latest first. */
export function Versions({ id, onRestored }: { id: string; onRestored(): void }) {
  const texts = layerTexts.value
  const { locale } = messages.value
  const error = useSignal<unknown>(undefined)
  const list: Call = { path: `/rest/layers/${id}/versions` }
  const versions = useMemo(
    () =>
      new Resource<{ versions: Version[] }>((aborted) =>
        call({ path: `/rest/layers/${id}/versions` }, aborted),
      ),
    [id],
  )
  useEffect(() => {
    void versions.load()
    return () => versions.stop()
  }, [versions])
  const restore = async (version: number): Promise<void> => {
    error.value = undefined
    try {
      const body = { what: ['data', 'style'] }
      await call({ method: 'POST', path: `/rest/layers/${id}/versions/${version}/restore`, body })
      say(texts.restored(version))
      onRestored()
    } catch (refusal) {
      error.value = refusal
    }
    await versions.load()
  }
  const { value } = versions.state.value
  if (value === undefined) return null
  return (
    <section class="panel" aria-label={texts.versions}>
      <header>
        <h2>{texts.versions}</h2>
        <CopyAsCurl call={list} />
      </header>
      <ul class="body stack s2">
        {value.versions.map(({ version, created, user, cause, rows, restorable, reason }, index) => (
          <li key={version} class={`version row wrap${index === 0 ? ' now' : ''}`}>
            <b class="mono">v{version}</b>
            <span class="grow">
              {rows === null ? '' : `${texts.rows(rows)}, `}
              {texts.causes(cause)}
              <br />
              <span class="dim" dir="auto">
                {formatTime(locale, new Date(created), { dateStyle: 'medium', timeStyle: 'short' })}
                {user === undefined ? '' : `, ${user}`}
              </span>
            </span>
            {index === 0 && <span class="tag acc">{texts.now}</span>}
            {index > 0 && isStaff.value && (
              <button
                type="button"
                class="btn sm"
                disabled={!restorable}
                title={reason ?? ''}
                onClick={() => void restore(version)}
              >
                <Icon name="undo" />
                {texts.putBack}
              </button>
            )}
          </li>
        ))}
      </ul>
      {error.value !== undefined && (
        <p class="err body" role="alert" dir="auto">
          {reasonOf(error.value)}
        </p>
      )}
    </section>
  )
}

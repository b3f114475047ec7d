import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { call, callTagged, Refusal } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Icon } from '../../components/icon.tsx'
import { Refused } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { useActing } from '../../components/use-acting.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import { changesOf, fields, textOf } from './about-fields.ts'
import { type AboutLayer, changeCall, type Layer, type LayerReply, layerPath } from './types.ts'

interface AboutFormProps {
  id: string
  layer: Layer
  onDone(isChanged: boolean): void
}

/** Form for the layer's metadata; shows concurrent changes, and loses nothing. */
export function AboutForm({ id, layer, onDone }: AboutFormProps) {
  const texts = layerTexts.value
  const key = useId()
  const { isBusy, error, act } = useActing()
  const begun = useRef(layer).current
  const { others, keep } = useKept(id, begun)
  const save = async (form: HTMLFormElement): Promise<void> => {
    const changes = changesOf(begun, new FormData(form))
    const isChanged = Object.keys(changes).length > 0
    if (isChanged && !(await act(() => keep(changes)))) return
    if (isChanged) say(texts.saved)
    onDone(isChanged)
  }
  return (
    <form
      class="stack s2"
      onSubmit={(event) => {
        event.preventDefault()
        void save(event.currentTarget)
      }}
    >
      {fields.map((name) => {
        const shared = { id: `${key}${name}`, name, class: 'in', defaultValue: textOf(begun, name) } as const
        return (
          <div key={name} class="field">
            <label for={`${key}${name}`}>{texts.fields[name]}</label>
            {name === 'abstract' || name === 'licence' || name === 'citation' ? (
              <textarea {...shared} dir="auto" rows={name === 'abstract' ? 4 : 2} />
            ) : (
              <input {...shared} dir="auto" />
            )}
            {name === 'keywords' && <p class="hint">{texts.keywordsHint}</p>}
          </div>
        )
      })}
      <Meanwhile layer={others.value} begun={begun} />
      <Refused error={error.value} />
      <div class="row wrap">
        <button type="submit" class={`btn main${isBusy.value ? ' busy' : ''}`}>
          {texts.save}
        </button>
        <button type="button" class="btn" onClick={() => onDone(false)}>
          {texts.discard}
        </button>
        <CopyAsCurl
          call={() => {
            const form = document.getElementById(`${key}title`)?.closest('form')
            return changeCall(id, form ? changesOf(begun, new FormData(form)) : {})
          }}
        />
      </div>
    </form>
  )
}

const maxLetters = 300

/** Concurrent changes by others. */
function Meanwhile({ layer, begun }: { layer: Layer | undefined; begun: Layer }) {
  const texts = layerTexts.value
  const changed = fields.filter((name) => layer !== undefined && textOf(layer, name) !== textOf(begun, name))
  if (layer === undefined || changed.length === 0) return null
  return (
    <div class="note warn" role="alert">
      <Icon name="warn" />
      <div>
        {texts.meanwhile}
        <dl class="kv">
          {changed.map((name) => (
            <div key={name} class="pair">
              <dt>{texts.fields[name]}</dt>
              <dd dir="auto">{textOf(layer, name).slice(0, maxLetters) || texts.noValue}</dd>
            </div>
          ))}
        </dl>
      </div>
    </div>
  )
}

interface AboutActions {
  /** The layer as changed by others, if it differs from the state when the form was opened. */
  others: Signal<Layer | undefined>
  /** Saves changes, unless others have changed the same fields meanwhile. */
  keep(changes: AboutLayer): Promise<void>
}

const maxTries = 3

function useKept(id: string, begun: Layer): AboutActions {
  const others = useSignal<Layer | undefined>(undefined)
  const known = useRef<{ layer: Layer; tag?: string }>({ layer: begun })
  const look = async (signal?: AbortSignal): Promise<Layer> => {
    const { value, tag } = await callTagged<LayerReply>({ path: layerPath(id) }, signal)
    const { layer: before } = known.current
    known.current = { layer: value.layer, tag }
    others.value = value.layer
    return before
  }
  useEffect(() => {
    const asking = new AbortController()
    // Without a response the check is repeated on saving.
    look(asking.signal).catch(() => undefined)
    return () => asking.abort()
  }, [])
  const keep = async (changes: AboutLayer): Promise<void> => {
    if (known.current.tag === undefined) await look()
    for (let tries = 1; ; tries += 1)
      try {
        const headers = { 'if-match': known.current.tag ?? '*' }
        await call({ ...changeCall(id, changes), headers })
        return
      } catch (refusal) {
        if (!(refusal instanceof Refusal) || refusal.code !== 'changed-meanwhile') throw refusal
        const before = await look()
        const { layer } = known.current
        const isSame = fields.every(
          (name) => !(name in changes) || textOf(layer, name) === textOf(before, name),
        )
        // Others changed other fields: both changes are kept.
        if (!isSame || tries >= maxTries) throw refusal
      }
  }
  return { others, keep }
}

import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { layerTexts } from '../../messages/layer/texts.ts'
import { CopyAsCurl } from '../../parts/copy-as-curl.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Refused } from '../../parts/states.tsx'
import { say } from '../../parts/toasts.tsx'
import { useActing } from '../../parts/use-acting.ts'
import { isStaff } from '../../session/session.ts'
import { call } from '../../wire/client.ts'
import { type AboutLayer, changeCall, type Layer } from './wire.ts'

const fields = ['title', 'abstract', 'keywords', 'attribution', 'licence', 'contact'] as const
type FieldName = (typeof fields)[number]

interface AboutProps {
  id: string
  layer: Layer
  onChanged(): void
}

/** What the layer is for: read by all, written in place by staff. */
export function About({ id, layer, onChanged }: AboutProps) {
  const texts = layerTexts.value
  const isEdited = useSignal(false)
  const told = fields.filter((name) => textOf(layer, name) !== '')
  return (
    <section class="panel" aria-label={texts.about}>
      <header>
        <h2>{texts.about}</h2>
        {isStaff.value && !isEdited.value && (
          <button
            type="button"
            class="btn sm"
            onClick={() => {
              isEdited.value = true
            }}
          >
            <Icon name="pencil" />
            {texts.edit}
          </button>
        )}
      </header>
      <div class="body">
        {isEdited.value ? (
          <AboutForm
            id={id}
            layer={layer}
            onDone={(isChanged) => {
              isEdited.value = false
              if (isChanged) onChanged()
            }}
          />
        ) : (
          <dl class="kv">
            {told.map((name) => (
              <div key={name} class="pair">
                <dt>{texts.fields[name]}</dt>
                <dd dir="auto">
                  <Told text={textOf(layer, name)} />
                </dd>
              </div>
            ))}
          </dl>
        )}
        {!isEdited.value && told.length <= 1 && <p class="dim">{texts.nothingTold}</p>}
      </div>
    </section>
  )
}

function AboutForm({
  id,
  layer,
  onDone,
}: Omit<AboutProps, 'onChanged'> & { onDone(isChanged: boolean): void }) {
  const texts = layerTexts.value
  const key = useId()
  const { isBusy, error, act } = useActing()
  const save = async (form: HTMLFormElement): Promise<void> => {
    const changes = changesOf(layer, new FormData(form))
    const isChanged = Object.keys(changes).length > 0
    if (isChanged && !(await act(() => call(changeCall(id, changes))))) return
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
        const shared = { id: `${key}${name}`, name, class: 'in', defaultValue: textOf(layer, name) } as const
        return (
          <div key={name} class="field">
            <label for={`${key}${name}`}>{texts.fields[name]}</label>
            {name === 'abstract' || name === 'licence' ? (
              <textarea {...shared} dir="auto" rows={name === 'abstract' ? 4 : 2} />
            ) : (
              <input {...shared} dir="auto" />
            )}
            {name === 'keywords' && <p class="hint">{texts.keywordsHint}</p>}
          </div>
        )
      })}
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
            return changeCall(id, form ? changesOf(layer, new FormData(form)) : {})
          }}
        />
      </div>
    </form>
  )
}

const mostShown = 600
const firstShown = 200

/** A long text opens on demand. */
function Told({ text }: { text: string }) {
  if (text.length <= mostShown) return text
  return (
    <details>
      <summary>{text.slice(0, firstShown)}…</summary>
      {text.slice(firstShown)}
    </details>
  )
}

function textOf(layer: AboutLayer, name: FieldName): string {
  const value = layer[name]
  return typeof value === 'object' ? value.join(', ') : (value ?? '')
}

/** What differs from what is there. */
function changesOf(layer: AboutLayer, form: FormData): AboutLayer {
  const changed = fields.filter((name) => String(form.get(name)) !== textOf(layer, name))
  return Object.fromEntries(
    changed.map((name) => {
      const text = String(form.get(name)).trim()
      const words = text.split(',').map((word) => word.trim())
      return [name, name === 'keywords' ? words.filter((word) => word !== '') : text]
    }),
  )
}

import { useSignal } from '@preact/signals'
import { call, callText } from '../../../api/client.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { Field } from '../../../components/field.tsx'
import { Icon } from '../../../components/icon.tsx'
import { reasonOf } from '../../../components/states.tsx'
import { say } from '../../../components/toasts.tsx'
import { goTo, setQuery } from '../../../lib/router.ts'
import { styleTexts } from '../../../messages/layer/style/texts.ts'
import { isStaff } from '../../../session/session.ts'
import {
  type AvailableStyle,
  defaultCall,
  freeName,
  keepCall,
  type LayerFacts,
  stylePath,
} from './available-styles.ts'
import { SelectField } from './small-fields.tsx'

interface Props {
  id: string
  layer: LayerFacts
  name: string
  list: readonly AvailableStyle[]
  onKept(): Promise<void>
}

type Act = 'copy' | 'rename' | 'remove'

/** Selection and actions of styles. */
export function SavedStyles({ id, layer, name, list, onKept }: Props) {
  const texts = styleTexts.value.saved
  const act = useSignal<Act | undefined>(undefined)
  const error = useSignal<unknown>(undefined)
  const kept = list.find((one) => one.name === name)
  const isDefault = layer.defaultStyle.name === name
  const run = async (work: () => Promise<void>): Promise<void> => {
    error.value = undefined
    try {
      await work()
      act.value = undefined
    } catch (reason) {
      error.value = reason
    }
  }
  const makeDefault = (): Promise<void> =>
    run(async () => {
      await call(defaultCall(id, name))
      say(texts.isDefaultNow(name))
      await onKept()
    })
  return (
    <div class="stack s2">
      <SelectField
        label={texts.which}
        value={name}
        options={list.map((one) => ({ value: one.name, text: textOf(one, layer) }))}
        onChange={(next) => setQuery({ style: next })}
      />
      {isStaff.value && (
        <div class="row wrap">
          {!isDefault && (
            <button type="button" class="btn sm" onClick={() => void makeDefault()}>
              <Icon name="check" />
              {texts.makeDefault}
            </button>
          )}
          {(['copy', 'rename', 'remove'] as const).map((one) => (
            <button
              key={one}
              type="button"
              class="btn quiet sm"
              disabled={
                kept === undefined || (one !== 'copy' && !kept.isOwn) || (one === 'remove' && isDefault)
              }
              onClick={() => {
                act.value = one
              }}
            >
              {texts.acts[one]}
            </button>
          ))}
        </div>
      )}
      {error.value !== undefined && act.value === undefined && (
        <p class="err" role="alert">
          <Icon name="bad" />
          <span dir="auto">{reasonOf(error.value)}</span>
        </p>
      )}
      {act.value !== undefined && kept !== undefined && (
        <StyleDialog
          {...{ act: act.value, id, layer, kept, list, run, error: error.value }}
          onClose={() => {
            act.value = undefined
            error.value = undefined
          }}
        />
      )}
    </div>
  )
}

function textOf({ name, isOwn }: AvailableStyle, layer: LayerFacts): string {
  const texts = styleTexts.value.saved
  const place = isOwn ? '' : ` (${texts.everywhere})`
  return `${name}${place}${layer.defaultStyle.name === name ? ` · ${texts.isDefault}` : ''}`
}

interface DialogProps {
  act: Act
  id: string
  layer: LayerFacts
  kept: AvailableStyle
  list: readonly AvailableStyle[]
  error: unknown
  run(work: () => Promise<void>): Promise<void>
  onClose(): void
}

function StyleDialog({ act, id, layer, kept, list, error, run, onClose }: DialogProps) {
  const texts = styleTexts.value.saved
  const workspace = layer.workspace.name
  const show = (name: string): void =>
    goTo(`/app/layers/${encodeURIComponent(id)}/style?style=${encodeURIComponent(name)}`)
  const remove = async (): Promise<void> => {
    await call({ method: 'DELETE', path: stylePath(workspace, kept) })
  }
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget as HTMLFormElement).get('name') ?? '').trim()
    void run(async () => {
      if (act === 'remove') await remove()
      else {
        await call(await copyCall(workspace, kept, name))
        if (act === 'rename' && layer.defaultStyle.name === kept.name) await call(defaultCall(id, name))
        if (act === 'rename') await remove()
      }
      show(act === 'remove' ? layer.defaultStyle.name : name)
    })
  }
  return (
    <Dialog title={texts.titles[act](kept.name)} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {act === 'remove' ? (
          <p>{texts.removeHint}</p>
        ) : (
          <Field
            name="name"
            label={texts.newName}
            defaultValue={act === 'copy' ? freeName(kept.name, list) : kept.name}
            required
            autofocus
            error={error === undefined ? undefined : reasonOf(error)}
          />
        )}
        {act === 'remove' && error !== undefined && (
          <p class="err" role="alert">
            <Icon name="bad" />
            <span dir="auto">{reasonOf(error)}</span>
          </p>
        )}
        <div class="row end">
          <button type="submit" class={act === 'remove' ? 'btn danger' : 'btn main'}>
            {texts.acts[act]}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Copies the document unchanged, in its own language. */
async function copyCall(workspace: string, kept: AvailableStyle, name: string) {
  const path = stylePath(workspace, kept)
  const { style } = await call<{ style: { format: 'maplibre' | 'sld' | 'qml' } }>({ path })
  const document = await callText({ path: `${path}.${style.format}` })
  const body = { style: { name, format: style.format, document } }
  return { ...keepCall(workspace, name, {}, true), body }
}

import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { CheckField } from '../../components/check-field.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { Refused } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { useActing } from '../../components/use-acting.ts'
import { goTo, query } from '../../lib/router.ts'
import type { LayerExtras, MapState } from '../../map/map-state.ts'
import { mapTexts } from '../../messages/map/texts.ts'
import { session } from '../../session/session.ts'
import { bodyOf, type LoadedMap, mapPath, mapsPath } from './saved-map.ts'

interface Props {
  state: MapState
  extras: ReadonlyMap<string, LayerExtras>
  loaded: LoadedMap | undefined
  /** Proposed title of a new map. */
  title: string
  onSaved(): void
}

/** Buttons that save the map of the page: in place by its owner, and under another name. */
export function SaveMap({ state, extras, loaded, title, onSaved }: Props) {
  const texts = mapTexts.value
  const isNaming = useSignal(false)
  const { isBusy, error, act } = useActing()
  if (session.value == null) return null
  const save = async ({ map, tag }: LoadedMap): Promise<void> => {
    await call({
      method: 'PUT',
      path: mapPath(map.name),
      body: { map: bodyOf(state, extras) },
      headers: tag === undefined ? {} : { 'if-match': tag },
    })
    say(texts.saved(map.title))
    onSaved()
  }
  return (
    <>
      <Refused error={error.value} />
      <button
        type="button"
        class="btn"
        onClick={() => {
          isNaming.value = true
        }}
      >
        {texts.saveAs}
      </button>
      {loaded?.map.mayChange === true && (
        <button
          type="button"
          class={`btn main${isBusy.value ? ' busy' : ''}`}
          onClick={() => void act(() => save(loaded))}
        >
          <Icon name="check" />
          {texts.save}
        </button>
      )}
      {isNaming.value && (
        <NameMap
          title={title}
          body={bodyOf(state, extras)}
          onClose={() => {
            isNaming.value = false
          }}
        />
      )}
    </>
  )
}

interface NameProps {
  title: string
  body: ReturnType<typeof bodyOf>
  onClose(): void
}

function NameMap({ title, body, onClose }: NameProps) {
  const texts = mapTexts.value
  const { isBusy, error, act } = useActing()
  const send = async (data: FormData): Promise<void> => {
    const name = String(data.get('name'))
    const map = { ...body, name, title: String(data.get('title')), public: data.get('public') !== null }
    await call({ method: 'POST', path: mapsPath, body: { map } })
    say(texts.saved(map.title))
    onClose()
    const shown = new URLSearchParams(query.peek())
    shown.set('map', name)
    goTo(`/app/map?${shown}`)
  }
  return (
    <Dialog title={texts.saveTitle} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          const data = new FormData(event.currentTarget)
          void act(() => send(data))
        }}
      >
        <Field
          label={texts.mapTitle}
          name="title"
          required
          maxLength={200}
          defaultValue={title.slice(0, 200)}
          autofocus
        />
        <Field
          label={texts.name}
          hint={texts.nameHint}
          name="name"
          required
          maxLength={100}
          defaultValue={nameOf(title)}
        />
        <CheckField name="public" label={texts.isPublic} hint={texts.isPublicHint} isOn={false} />
        <Refused error={error.value} />
        <div class="row wrap form-end">
          <button type="button" class="btn" onClick={onClose}>
            {texts.keep}
          </button>
          <button type="submit" class={`btn main${isBusy.value ? ' busy' : ''}`}>
            {texts.save}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Returns a valid name that resembles the title. */
function nameOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
}

import { useId } from 'preact/hooks'
import { copyText } from '../../components/copy-as-curl.tsx'
import { Icon } from '../../components/icon.tsx'
import { frameCode, linkOf, type MapState } from '../../map/map-state.ts'
import { mapTexts } from '../../messages/map/texts.ts'

interface ShareProps {
  state: MapState
  title: string
  /** Name of a saved map, whose link does not change when the map is edited. */
  name: string | undefined
}

/** The map as a link, and as code for pages of others. */
export function ShareMap({ state, title, name }: ShareProps) {
  const texts = mapTexts.value
  return (
    <>
      <Copied label={texts.link} text={linkOf(state, name)} />
      <Copied label={texts.frame} text={frameCode(state, { title, name })} />
      <p class="hint">{texts.frameHint}</p>
    </>
  )
}

function Copied({ label, text }: { label: string; text: string }) {
  const texts = mapTexts.value
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="row">
        <input
          class="in mono"
          id={id}
          readOnly
          value={text}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <button
          type="button"
          class="btn ic"
          aria-label={texts.copy(label)}
          onClick={() => void copyText(text)}
        >
          <Icon name="copy" />
        </button>
      </div>
    </div>
  )
}

import { useSignal } from '@preact/signals'
import { Icon } from '../../components/icon.tsx'
import { layerTexts } from '../../messages/layer/texts.ts'
import { isStaff } from '../../session/session.ts'
import { fields, textOf } from './about-fields.ts'
import { AboutForm } from './about-form.tsx'
import { InPlace } from './in-place.tsx'
import type { Layer } from './types.ts'

interface AboutProps {
  id: string
  layer: Layer
  onChanged(): void
}

/** Metadata of the layer: read by all, edited in place by staff. */
export function About({ id, layer, onChanged }: AboutProps) {
  const texts = layerTexts.value
  const isEdited = useSignal(false)
  const reported = fields.filter((name) => textOf(layer, name) !== '')
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
            {reported.map((name) => (
              <div key={name} class="pair">
                <dt>{texts.fields[name]}</dt>
                <dd dir="auto">
                  {name === 'doi' ? (
                    <DoiLink doi={textOf(layer, name)} />
                  ) : (
                    <Reported text={textOf(layer, name)} />
                  )}
                </dd>
              </div>
            ))}
          </dl>
        )}
        {!isEdited.value && reported.length <= 1 && <p class="dim">{texts.nothingDescribed}</p>}
        {!isEdited.value && <InPlace id={id} layer={layer} onChanged={onChanged} />}
      </div>
    </section>
  )
}

function DoiLink({ doi }: { doi: string }) {
  const path = encodeURI(doi).replaceAll('#', '%23').replaceAll('?', '%3F')
  return (
    <a href={`https://doi.org/${path}`} rel="noopener">
      {doi}
    </a>
  )
}

const maxShown = 600
const firstShown = 200

/** A long text opens on demand. */
function Reported({ text }: { text: string }) {
  if (text.length <= maxShown) return text
  return (
    <details>
      <summary>{text.slice(0, firstShown)}…</summary>
      {text.slice(firstShown)}
    </details>
  )
}

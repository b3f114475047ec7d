import { useSignal } from '@preact/signals'
import type { StyleSpecification } from 'maplibre-gl'
import { useMemo } from 'preact/hooks'
import { MapView } from '../../../map/map-view.tsx'
import { styleTexts } from '../../../messages/layer/style/texts.ts'
import { CopyAsCurl } from '../../../parts/copy-as-curl.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { isStaff } from '../../../session/session.ts'
import type { Call } from '../../../wire/client.ts'
import { Documents } from './documents.tsx'
import { drawnOf, type EditedStyle, isNumberText } from './edited-style.ts'
import { freeName, keepCall, type LayerFacts, type StylesOfLayer } from './kept-styles.ts'
import { NotSaved } from './not-saved.tsx'
import { readStyle } from './read-style.ts'
import { RuleFields } from './rule-fields.tsx'
import { SavedStyles } from './saved-styles.tsx'
import { ServerLegend } from './server-legend.tsx'
import { StyleMessagesList } from './style-messages.tsx'
import { useFrame } from './use-frame.ts'
import { lastMessagesOf, useSaving } from './use-saving.ts'
import { documentOf, layersOf } from './write-style.ts'

interface Props {
  id: string
  layer: LayerFacts
  /** Of the style that is looked at. */
  name: string
  styles: StylesOfLayer
  onKept(): Promise<void>
}

/** The map as the style will draw it, and beside it what can be changed. */
export function StyleEditor({ id, layer, name, styles, onKept }: Props) {
  const texts = styleTexts.value
  const drawn = drawnOf(layer.attributes) ?? 'points'
  const kept = useMemo(() => readStyle(styles.document), [styles])
  const edited = useSignal<EditedStyle | undefined>(kept)
  const own = styles.list.some((one) => one.name === name && one.isOwn)
  const target = own ? name : freeName(layer.name, styles.list)
  const workspace = layer.workspace.name
  const isChanged = edited.value !== kept
  const isDefault = layer.defaultStyle.name === name
  const document = () => edited.value && documentOf(target, edited.value, drawn)
  const saving = useSaving({ id, layer, styles, target, isNew: !own, isDefault, document, onKept })
  return (
    <div class="lay style-page">
      <Preview layer={layer} styles={styles} edited={edited.value} />
      <section class="panel styl" aria-labelledby="style-title">
        <StyleHead {...{ name, isChanged, isDefault }} />
        <div class="body stack">
          <SavedStyles id={id} layer={layer} name={name} list={styles.list} onKept={onKept} />
          {layer.type === 'VECTOR' && (
            <RuleFields
              id={id}
              layer={layer}
              drawn={drawn}
              kept={kept}
              edited={edited}
              isOff={!isStaff.value}
              isPlain={!own}
            />
          )}
          {layer.type === 'RASTER' && <p class="dim">{texts.raster}</p>}
          {isStaff.value && !own && <p class="hint">{texts.makesOwn(target)}</p>}
          <StyleMessagesList list={lastMessagesOf(workspace, name)} />
          <NotSaved
            error={saving.error.value}
            onTheirs={() => void onKept()}
            onMine={() => void saving.save({ isInPlaceOfTheirs: true })}
          />
        </div>
        {isStaff.value && layer.type === 'VECTOR' && (
          <SaveBar
            {...{ isChanged, isBusy: saving.isBusy.value }}
            call={() => keepCall(workspace, target, document() ?? {}, !own)}
            onDiscard={() => {
              edited.value = kept
            }}
            onSave={() => void saving.save()}
          />
        )}
      </section>
      <div class="style-below">
        <ServerLegend id={id} name={name} version={layer.version} isChanged={isChanged} />
        <Documents id={id} layer={layer} name={name} list={styles.list} />
      </div>
    </div>
  )
}

/** Which style it is, and how it stands. */
function StyleHead({ name, isChanged, isDefault }: { name: string; isChanged: boolean; isDefault: boolean }) {
  const texts = styleTexts.value
  return (
    <header>
      <h2 id="style-title" class="cut" dir="auto">
        {name}
      </h2>
      {isChanged ? (
        <span class="tag acc">
          <Icon name="pencil" />
          {texts.notSaved}
        </span>
      ) : (
        isDefault && <span class="tag">{texts.isDefault}</span>
      )}
    </header>
  )
}

interface SaveBarProps {
  isChanged: boolean
  isBusy: boolean
  call(): Call
  onDiscard(): void
  onSave(): void
}

function SaveBar({ isChanged, isBusy, call: saveCall, onDiscard, onSave }: SaveBarProps) {
  const texts = styleTexts.value
  return (
    <footer class="row wrap">
      <CopyAsCurl call={saveCall} />
      <span class="grow" />
      <button type="button" class="btn" disabled={!isChanged} onClick={onDiscard}>
        {texts.discard}
      </button>
      <button type="button" class="btn main" disabled={!isChanged || isBusy} onClick={onSave}>
        {texts.save}
      </button>
    </footer>
  )
}

interface PreviewProps {
  layer: LayerFacts
  styles: StylesOfLayer
  edited: EditedStyle | undefined
}

/** Drawn anew once a frame at most, however fast a limit is dragged. */
function Preview({ layer, styles, edited }: PreviewProps) {
  const texts = styleTexts.value
  const shown = useFrame(edited)
  const style = useMemo((): StyleSpecification => {
    const { drawn } = styles
    if (shown === undefined || layer.type === 'RASTER') return drawn
    const numberTexts = new Set(
      layer.attributes.flatMap((one) => (isNumberText(one.binding) ? [one.name] : [])),
    )
    const kind = drawnOf(layer.attributes) ?? 'points'
    return { ...drawn, layers: layersOf(shown, { drawn: kind, numberTexts, sourceLayer: layer.name }) }
  }, [shown, styles])
  return (
    <div class="panel lay-map">
      <div class="map">
        <MapView
          label={texts.preview}
          style={style}
          {...(styles.bounds !== undefined && { bounds: styles.bounds })}
        />
      </div>
    </div>
  )
}

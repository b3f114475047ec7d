import { useSignal } from '@preact/signals'
import type { StyleSpecification } from 'maplibre-gl'
import { useMemo } from 'preact/hooks'
import { MapView } from '../../../map/map-view.tsx'
import { styleTexts } from '../../../messages/layer/style/texts.ts'
import { isStaff } from '../../../session/session.ts'
import { freeName, keepCall, type LayerFacts, type StylesOfLayer } from './available-styles.ts'
import { Documents } from './documents.tsx'
import { drawnOf, type EditedStyle, isNumberText } from './edited-style.ts'
import { NotSaved } from './not-saved.tsx'
import { readStyle } from './read-style.ts'
import { RuleFields } from './rule-fields.tsx'
import { SavedStyles } from './saved-styles.tsx'
import { ServerLegend } from './server-legend.tsx'
import { SaveBar, StyleHead } from './style-frame.tsx'
import { StyleMessagesList } from './style-messages.tsx'
import { useFrame } from './use-frame.ts'
import { lastMessagesOf, useSaving } from './use-saving.ts'
import { documentOf, layersOf } from './write-style.ts'

interface Props {
  id: string
  layer: LayerFacts
  /** Name of the edited style. */
  name: string
  styles: StylesOfLayer
  onKept(): Promise<void>
}

/** Style editor: the map with the edited style, and fields. */
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
          <RuleFields
            id={id}
            layer={layer}
            drawn={drawn}
            kept={kept}
            edited={edited}
            isOff={!isStaff.value}
            isPlain={!own}
          />
          {isStaff.value && !own && <p class="hint">{texts.makesOwn(target)}</p>}
          <StyleMessagesList list={lastMessagesOf(workspace, name)} />
          <NotSaved
            error={saving.error.value}
            onTheirs={() => void onKept()}
            onMine={() => void saving.save({ isInPlaceOfTheirs: true })}
          />
        </div>
        {isStaff.value && (
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

interface PreviewProps {
  layer: LayerFacts
  styles: StylesOfLayer
  edited: EditedStyle | undefined
}

/** Redraws at most once per frame, however fast a limit is dragged. */
function Preview({ layer, styles, edited }: PreviewProps) {
  const texts = styleTexts.value
  const shown = useFrame(edited)
  const style = useMemo((): StyleSpecification => {
    const { drawn } = styles
    if (shown === undefined) return drawn
    const numberTexts = new Set(
      layer.attributes.flatMap((one) => (isNumberText(one.binding) ? [one.name] : [])),
    )
    const kind = drawnOf(layer.attributes) ?? 'points'
    return { ...drawn, layers: layersOf(shown, { drawn: kind, numberTexts, sourceLayer: layer.name }) }
  }, [shown, styles])
  return (
    <div class="style-map">
      <div class="panel lay-map">
        <MapView label={texts.preview} style={style} bounds={styles.bounds} />
      </div>
    </div>
  )
}

import { useSignal } from '@preact/signals'
import type { RasterSourceSpecification, StyleSpecification } from 'maplibre-gl'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { MapView } from '../../../map/map-view.tsx'
import { unsavedStyleSource } from '../../../map/unsaved-style-tiles.ts'
import { styleTexts } from '../../../messages/layer/style/texts.ts'
import { isStaff } from '../../../session/session.ts'
import { freeName, keepCall, type LayerFacts, type StylesOfLayer } from '../style/available-styles.ts'
import { Documents } from '../style/documents.tsx'
import { NotSaved } from '../style/not-saved.tsx'
import { SavedStyles } from '../style/saved-styles.tsx'
import { ServerLegend } from '../style/server-legend.tsx'
import { SaveBar, StyleHead } from '../style/style-frame.tsx'
import { StyleMessagesList } from '../style/style-messages.tsx'
import { lastMessagesOf, useSaving } from '../style/use-saving.ts'
import { Coloring } from './coloring.ts'
import { type EditedRaster, plainRaster } from './edited-raster.ts'
import { RasterFields } from './raster-fields.tsx'
import { readRaster } from './read-raster.ts'
import { sldOf } from './write-raster.ts'

interface Props {
  id: string
  layer: LayerFacts
  /** Name of the edited style. */
  name: string
  styles: StylesOfLayer
  onKept(): Promise<void>
}

/** Raster style editor: preview drawn by the server, and fields. */
export function RasterEditor({ id, layer, name, styles, onKept }: Props) {
  const texts = styleTexts.value
  const read = useMemo(() => readRaster(styles.sld ?? ''), [styles])
  const kept = read ?? plainRaster
  const edited = useSignal(kept)
  const coloring = useMemo(() => new Coloring(id, edited), [id, edited])
  useEffect(() => {
    void coloring.begin()
    return () => coloring.stop()
  }, [coloring])
  const own = styles.list.some((one) => one.name === name && one.isOwn)
  const target = own ? name : freeName(layer.name, styles.list)
  const workspace = layer.workspace.name
  const isChanged = edited.value !== kept
  const isDefault = layer.defaultStyle.name === name
  const document = (): string => sldOf(target, edited.value)
  const saving = useSaving({ id, layer, styles, target, isNew: !own, isDefault, document, onKept })
  return (
    <div class="lay style-page">
      <Preview id={id} name={target} styles={styles} edited={isChanged ? edited.value : undefined} />
      <section class="panel styl" aria-labelledby="style-title">
        <StyleHead {...{ name, isChanged, isDefault }} />
        <div class="body stack">
          <SavedStyles id={id} layer={layer} name={name} list={styles.list} onKept={onKept} />
          <RasterFields
            edited={edited}
            coloring={coloring}
            isForeign={read === undefined && !isChanged}
            isOff={!isStaff.value}
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
            call={() => keepCall(workspace, target, document(), !own)}
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
  id: string
  name: string
  styles: StylesOfLayer
  /** Undefined if it is unchanged. */
  edited: EditedRaster | undefined
}

/** Drawn by the server, as soon as nothing has been changed for a moment. */
function Preview({ id, name, styles, edited }: PreviewProps) {
  const texts = styleTexts.value
  const shown = useCalm(edited)
  const style = useMemo((): StyleSpecification => {
    if (shown === undefined) return styles.drawn
    const dryRun = { layer: id, style: { format: 'sld' as const, document: sldOf(name, shown) } }
    const sources = Object.entries(styles.drawn.sources).map(([source, published]) => [
      source,
      published.type === 'raster'
        ? unsavedStyleSource(dryRun, published as RasterSourceSpecification)
        : published,
    ])
    return { ...styles.drawn, sources: Object.fromEntries(sources) }
  }, [shown, styles])
  return (
    <div class="style-map">
      <div class="panel lay-map">
        <MapView label={texts.preview} style={style} bounds={styles.bounds} />
      </div>
    </div>
  )
}

const calmMs = 200

/** The value as it was when it had not changed for a moment; at once where it is taken back. */
function useCalm<T>(value: T | undefined): T | undefined {
  const [shown, show] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => show(() => value), value === undefined ? 0 : calmMs)
    return () => clearTimeout(timer)
  }, [value])
  return shown
}

import { useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { shownDay } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { addressOf, pathBelowBase } from '../../lib/base.ts'
import { addressWithLayer } from '../../lib/last-map.ts'
import { formatNumber } from '../../lib/numbers.ts'
import { homeTexts } from '../../messages/home/texts.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import { messages } from '../../messages/messages.ts'
import { isStaff } from '../../session/session.ts'
import { DeleteLayer } from './delete-layer.tsx'
import { type Entry, type Layer, layerPath } from './types.ts'

interface LayerHeadProps {
  id: string
  layer: Layer
  entry: Entry | undefined
  onDeleted(): void
}

/** Title line of a layer, with its actions. */
export function LayerHead({ id, layer, entry, onDeleted }: LayerHeadProps) {
  const texts = layerTexts.value
  const isDeleting = useSignal(false)
  const title = layer.title === undefined || layer.title === '' ? layer.name : layer.title
  return (
    <div class="head lay-head">
      <div class="row">
        <Thumbnail entry={entry} />
        <div>
          <p class="crumb">
            <a href={addressOf('/')}>{messages.value.nav.catalogue}</a>
            <Icon name="right" />
            <a href={addressOf(`/?workspace=${encodeURIComponent(layer.workspace.name)}`)} dir="auto">
              {layer.workspace.name}
            </a>
            <Icon name="right" />
            <span class="mono" dir="auto">
              {layer.name}
            </span>
          </p>
          <h1 class="title" dir="auto" title={title}>
            {title}
          </h1>
          <Facts layer={layer} entry={entry} />
        </div>
      </div>
      <div class="acts">
        <CopyAsCurl call={{ path: layerPath(id) }} />
        {isStaff.value && (
          <button
            type="button"
            class="btn danger"
            onClick={() => {
              isDeleting.value = true
            }}
          >
            <Icon name="trash" />
            {texts.delete}
          </button>
        )}
        {entry?.kind !== 'table' && (
          <a class="btn" href={addressOf(addressWithLayer(id))}>
            <Icon name="map" />
            {texts.addToMap}
          </a>
        )}
        {entry?.kind !== 'table' && (
          <a class="btn" href={addressOf(`/app/layers/${encodeURIComponent(id)}/style`)}>
            <Icon name="pencil" />
            {texts.style}
          </a>
        )}
      </div>
      {isDeleting.value && (
        <DeleteLayer
          id={id}
          isInPlace={layer?.managed !== undefined}
          entry={entry}
          onClose={() => {
            isDeleting.value = false
          }}
          onDeleted={onDeleted}
        />
      )}
    </div>
  )
}

function Thumbnail({ entry }: { entry: Entry | undefined }) {
  const [failed, setFailed] = useState<Entry>()
  if (entry?.thumbnail === undefined || failed === entry) return null
  const { search } = new URL(entry.thumbnail)
  const src = `${addressOf(pathBelowBase(entry.thumbnail))}${search}&width=192&height=128`
  return (
    <div class="thumb hide-s">
      <img src={src} alt="" onError={() => setFailed(entry)} />
    </div>
  )
}

function Facts({ layer, entry }: Pick<LayerHeadProps, 'layer' | 'entry'>) {
  const texts = layerTexts.value
  const rows = entry?.rows ?? layer.featureCount
  const kind = entry?.kind ?? (layer.type === 'RASTER' ? 'raster' : 'vector')
  return (
    <ul class="facts small dim">
      <li>
        <Icon name={kind === 'raster' ? 'grid' : kind === 'table' ? 'table' : 'layers'} />
        {rows === undefined ? texts.kinds[kind] : texts.rows(rows)}
        {entry?.geometryType !== undefined && `, ${entry.geometryType}`}
      </li>
      {kind !== 'table' && <li>{layer.srs ?? texts.noSrs}</li>}
      {entry?.bounds !== undefined && <li title={texts.extent}>{shownExtent(entry.bounds)}</li>}
      <li dir="auto">{texts.store(layer.store.name)}</li>
      <li>{texts.changed(shownDay(layer.dateModified))}</li>
      {entry !== undefined && (
        <li>
          <Icon name={entry.public ? 'globe' : 'lock'} />
          {entry.public ? texts.isPublic : texts.isNotPublic}
        </li>
      )}
      {entry?.problem !== undefined && (
        <li class="wtext">
          <Icon name="warn" />
          {homeTexts.value.problem[entry.problem.code]}
        </li>
      )}
    </ul>
  )
}

/** West to east, south to north. */
function shownExtent([west = 0, south = 0, east = 0, north = 0]: readonly number[]): string {
  const { locale } = messages.value
  const degrees = (value: number): string => `${formatNumber(locale, value, { maximumFractionDigits: 2 })}°`
  return `${degrees(west)} … ${degrees(east)}, ${degrees(south)} … ${degrees(north)}`
}

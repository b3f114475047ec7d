import { Icon } from '../../components/icon.tsx'
import { reasonOf } from '../../components/states.tsx'
import { addressOf } from '../../lib/base.ts'
import type { MapLayer, MapState } from '../../map/map-state.ts'
import { mapTexts } from '../../messages/map/texts.ts'
import type { KnownLayers } from './use-layers.ts'

interface Props {
  state: MapState
  known: KnownLayers
  onChange(layers: MapLayer[]): void
}

/** The layers as they lie: the uppermost first, with their legends. */
export function LayerList({ state, known, onChange }: Props) {
  const texts = mapTexts.value
  const { layers } = state
  const change = (id: string, part: Partial<MapLayer>): void =>
    onChange(layers.map((one) => (one.id === id ? { ...one, ...part } : one)))
  const move = (index: number, turn: 1 | -1): void => {
    const next = [...layers]
    const [moved] = next.splice(index, 1)
    if (moved === undefined) return
    next.splice(index + turn, 0, moved)
    onChange(next)
  }
  return (
    <ol class="map-layers">
      {layers
        .map((layer, index) => {
          const found = known.published.find(({ id }) => id === layer.id)
          const title = found?.title ?? layer.id
          const failure = known.failed.get(layer.id)
          return (
            <li key={layer.id}>
              <div class="row">
                <label class="check grow">
                  <input
                    type="checkbox"
                    checked={!layer.isHidden}
                    onChange={() => change(layer.id, { isHidden: !layer.isHidden })}
                  />
                  <span class="cut" dir="auto">
                    {title}
                  </span>
                </label>
                <Mover
                  label={texts.up(title)}
                  isOff={index === layers.length - 1}
                  icon="up"
                  onMove={() => move(index, 1)}
                />
                <Mover
                  label={texts.down(title)}
                  isOff={index === 0}
                  icon="down"
                  onMove={() => move(index, -1)}
                />
                <button
                  type="button"
                  class="btn quiet ic sm"
                  aria-label={texts.remove(title)}
                  onClick={() => onChange(layers.filter(({ id }) => id !== layer.id))}
                >
                  <Icon name="x" />
                </button>
              </div>
              {failure !== undefined && (
                <p class="err small" role="alert">
                  <Icon name="bad" />
                  <span dir="auto">{reasonOf(failure)}</span>
                </p>
              )}
              {found !== undefined && !layer.isHidden && (
                <>
                  <OpacityRange
                    label={texts.opacityOf(title)}
                    value={layer.opacity}
                    onChange={(opacity) => change(layer.id, { opacity })}
                  />
                  {state.hasLegend && <LegendPicture id={layer.id} title={title} />}
                </>
              )}
            </li>
          )
        })
        .reverse()}
    </ol>
  )
}

interface OpacityProps {
  label: string
  value: number
  onChange(opacity: number): void
}

function OpacityRange({ label, value, onChange }: OpacityProps) {
  const percent = Math.round(value * 100)
  return (
    <label class="row small dim">
      {mapTexts.value.opacity}
      <input
        class="opacity"
        type="range"
        min={0}
        max={100}
        aria-label={label}
        value={percent}
        onInput={({ currentTarget }) => onChange(currentTarget.valueAsNumber / 100)}
      />
      <span class="num">{percent} %</span>
    </label>
  )
}

/** The server draws it. */
export function LegendPicture({ id, title }: { id: string; title: string }) {
  const texts = mapTexts.value
  return (
    <div class="legend-picture">
      <img src={addressOf(`/tiles/${encodeURIComponent(id)}/legend.svg`)} alt={texts.legendOf(title)} />
    </div>
  )
}

interface MoverProps {
  label: string
  icon: 'up' | 'down'
  isOff: boolean
  onMove(): void
}

function Mover({ label, icon, isOff, onMove }: MoverProps) {
  return (
    <button
      type="button"
      class={`btn quiet ic sm ${icon}`}
      aria-label={label}
      disabled={isOff}
      onClick={onMove}
    >
      <Icon name="down" />
    </button>
  )
}

import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../components/icon.tsx'
import { formatNumber } from '../lib/numbers.ts'
import { messages } from '../messages/messages.ts'
import type { MapViewProps } from './map-props.ts'
import type { MapFeature, MapFeatureInfo } from './open-map.ts'

interface FoundHereProps {
  requested: MapFeatureInfo
  /** Current position on the canvas. */
  point: { x: number; y: number }
  /** True to show the values below the location. */
  isBelow: boolean
  /** Label of the supplied objects. */
  label: string
  onLook: MapViewProps['onPick']
  popup: MapViewProps['popup']
  onClose(): void
}

/** Features at a location, one after the other: next to the location, or as a sheet on phones. */
export function FoundHere({
  requested: mapFeatureInfo,
  point,
  isBelow,
  label,
  onLook,
  popup,
  onClose,
}: FoundHereProps) {
  const texts = messages.value.map
  const element = useRef<HTMLElement>(null)
  const [index, setIndex] = useState(0)
  const found = mapFeatureInfo.found[index]
  useEffect(() => {
    element.current?.focus({ preventScroll: true })
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') onClose()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  useEffect(() => onLook?.(found), [found])
  if (found === undefined) return null
  const name = found.layer === 'objects' ? label : nameOf(found.layer)
  const turn = (by: number) => (): void =>
    setIndex((index + by + mapFeatureInfo.found.length) % mapFeatureInfo.found.length)
  return (
    <section
      ref={element}
      class={`pop values ${isBelow ? 'below' : 'above'}`}
      aria-label={name}
      tabIndex={-1}
      style={{ '--x': `${point.x}px`, '--y': `${point.y}px` }}
    >
      <header>
        <strong class="cut" dir="auto">
          {name}
        </strong>
        {mapFeatureInfo.found.length > 1 && (
          <span class="row several">
            <button type="button" class="btn quiet ic sm" aria-label={texts.before} onClick={turn(-1)}>
              <Icon name="right" class="flip" />
            </button>
            <span role="status">{texts.which(index + 1, mapFeatureInfo.found.length)}</span>
            <button type="button" class="btn quiet ic sm" aria-label={texts.after} onClick={turn(1)}>
              <Icon name="right" />
            </button>
          </span>
        )}
        <button
          type="button"
          class="btn quiet ic sm"
          aria-label={messages.value.state.close}
          onClick={onClose}
        >
          <Icon name="x" />
        </button>
      </header>
      {popup === undefined ? <Values of={found.properties} /> : popup(found)}
    </section>
  )
}

function nameOf(layer: MapFeature['layer']): string {
  return layer.slice(layer.indexOf(':') + 1)
}

const maxValues = 300

/** Names and values of an object. */
function Values({ of }: { of: Record<string, unknown> }) {
  const entries = Object.entries(of)
  const { locale, map } = messages.value
  if (entries.length === 0) return <p class="dim">{map.noValues}</p>
  return (
    <dl>
      {entries.slice(0, maxValues).map(([name, value]) => (
        <div key={name}>
          <dt dir="auto">{name}</dt>
          <dd dir="auto">{shown(value, locale)}</dd>
        </div>
      ))}
    </dl>
  )
}

function shown(value: unknown, locale: string): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number')
    return formatNumber(locale, value, { maximumFractionDigits: 10, useGrouping: false })
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

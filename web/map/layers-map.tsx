import type { Map as MapLibreMap } from 'maplibre-gl'
import { useEffect, useRef, useState } from 'preact/hooks'
import { messages } from '../messages/messages.ts'
import { Icon } from '../parts/icon.tsx'
import { Failed } from '../parts/states.tsx'
import { combinedStyle } from './combined-style.ts'
import { type Found, isStill, openMap } from './open-map.ts'
import { type Place, ScaleBar } from './scale-bar.tsx'
import { isDark } from './theme.ts'

/** A map of layers on the background; moved by pointer, touch and arrow keys. */
export function LayersMap({ layers }: { layers: readonly string[] }) {
  const texts = messages.value.map
  const container = useRef<HTMLDivElement>(null)
  const shown = useRef<MapLibreMap | undefined>(undefined)
  const dataIds = useRef<string[]>([])
  const [place, setPlace] = useState<Place>()
  const [found, setFound] = useState<Found>()
  const [error, setError] = useState<unknown>()
  const [tries, setTries] = useState(0)
  const names = layers.join(',')
  useEffect(() => {
    const asking = new AbortController()
    const wanted = { layers, isDark: isDark.value, language: messages.value.locale }
    combinedStyle(wanted, asking.signal).then(
      ({ style, dataIds: ids }) => {
        dataIds.current = ids
        setError(undefined)
        if (shown.current !== undefined) shown.current.setStyle(style)
        else if (container.current !== null)
          shown.current = openMap(container.current, style, {
            title: texts.title,
            dataIds: () => dataIds.current,
            onPlace: setPlace,
            onFound: setFound,
          })
      },
      (reason: unknown) => {
        if (!asking.signal.aborted) setError(reason)
      },
    )
    return () => asking.abort()
  }, [names, isDark.value, messages.value.locale, tries])
  useEffect(() => () => shown.current?.remove(), [])
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') setFound(undefined)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])

  const options = { animate: !isStill.matches }
  return (
    <div class="map view">
      <div ref={container} class="canvas" />
      <div class="mapbar">
        <button type="button" aria-label={texts.nearer} onClick={() => shown.current?.zoomIn(options)}>
          <Icon name="plus" />
        </button>
        <button type="button" aria-label={texts.farther} onClick={() => shown.current?.zoomOut(options)}>
          <Icon name="minus" />
        </button>
      </div>
      {place !== undefined && <ScaleBar {...place} />}
      <div class="attr">{texts.background}</div>
      {found !== undefined && <Values found={found} onClose={() => setFound(undefined)} />}
      {error !== undefined && <Failed error={error} onAgain={() => setTries(tries + 1)} />}
    </div>
  )
}

function Values({ found, onClose }: { found: Found; onClose: () => void }) {
  return (
    <section class="pop values" aria-label={found.layer}>
      <button type="button" class="btn quiet ic" aria-label={messages.value.state.close} onClick={onClose}>
        <Icon name="x" />
      </button>
      <strong dir="auto">{found.layer}</strong>
      <dl>
        {found.values.map(([name, value]) => (
          <div key={name}>
            <dt dir="auto">{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Failed, Loading } from '../components/states.tsx'
import type { MapViewProps } from './map-props.ts'

const drawn = signal<ComponentType<MapViewProps> | undefined>(undefined)

/** The map of all pages, with the server's base map. MapLibre is loaded on first use. */
export function MapView(props: MapViewProps) {
  const [error, setError] = useState<unknown>()
  const load = (): void => {
    setError(undefined)
    import('./drawn-map.tsx').then(({ DrawnMap }) => {
      drawn.value = DrawnMap
    }, setError)
  }
  useEffect(() => {
    if (drawn.peek() === undefined) load()
  }, [])
  const Drawn = drawn.value
  return (
    <div class="map view">
      {Drawn !== undefined && <Drawn {...props} />}
      {Drawn === undefined && error === undefined && <Loading />}
      {error !== undefined && <Failed error={error} onAgain={load} />}
    </div>
  )
}

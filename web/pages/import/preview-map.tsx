import { useEffect, useMemo } from 'preact/hooks'
import { Resource } from '../../lib/resource.ts'
import { MapView } from '../../map/map-view.tsx'
import { importTexts } from '../../messages/import/texts.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import { call, Refusal } from '../../wire/client.ts'
import type { Rows } from './wire.ts'

/** Where the rows of a task would fall, before anything is loaded; `srs` is what their numbers are taken to be. */
export function PreviewMap({ path, srs }: { path: string; srs: string | undefined }) {
  const texts = importTexts.value
  const query = { limit: 500, ...(srs !== undefined && { srs }) }
  const first = useMemo(
    () => new Resource<Rows>((aborted) => call({ path: `${path}/preview.geojson`, query }, aborted)),
    [path, srs],
  )
  useEffect(() => {
    void first.load()
    return () => first.stop()
  }, [first])
  const { value, error } = first.state.value
  // Of a table, and of numbers of which nobody knows where they lie, there is none.
  if (error instanceof Refusal && error.status < 500) return <p class="body dim">{error.message}</p>
  if (error !== undefined) return <Failed error={error} onAgain={() => void first.load()} />
  if (value === undefined) return <Loading />
  const { bbox, features } = value
  return <MapView label={texts.onMap} objects={features} {...(bbox && { bounds: bbox })} />
}

import { useSignal } from '@preact/signals'
import { useEffect, useId, useMemo } from 'preact/hooks'
import type { Call } from '../../../api/client.ts'
import { CopyAsCurl } from '../../../components/copy-as-curl.tsx'
import { shownBytes } from '../../../components/formats.ts'
import { Icon } from '../../../components/icon.tsx'
import { Refused } from '../../../components/states.tsx'
import { addressOf } from '../../../lib/base.ts'
import { downloadTexts } from '../../../messages/layer/download/texts.ts'
import { type Download, DownloadJob, fileCall } from './download-job.ts'

/** Shown part of a layer. */
interface DownloadSelection {
  /** CQL2 text. */
  filter?: string | undefined
  /** West, south, east, north. */
  bbox?: string | undefined
  version?: number | undefined
}

interface DownloadPanelProps {
  id: string
  isRaster: boolean
  /** The code of the layer's CRS. */
  srs: string | undefined
  requested: DownloadSelection
}

const featureFormats = [
  ['gpkg', 'GeoPackage'],
  ['geojson', 'GeoJSON'],
  ['csv', 'CSV'],
  ['shp', 'Shapefile'],
  ['fgb', 'FlatGeobuf'],
  ['parquet', 'GeoParquet'],
  ['kml', 'KML'],
] as const
const rasterFormats = [['tif', 'GeoTIFF']] as const
/** Formats that use WGS 84 by default. */
const geographic = ['geojson', 'kml']

/** Downloads the layer, or the part selected by filter and map. */
export function DownloadPanel({ id, isRaster, srs, requested: selection }: DownloadPanelProps) {
  const texts = downloadTexts.value
  const title = useId()
  const formats = isRaster ? rasterFormats : featureFormats
  const format = useSignal<string>(formats[0][0])
  const crs = useSignal('')
  const job = useMemo(() => new DownloadJob(), [id])
  useEffect(() => () => job.cancel(), [job])
  const requested = (): Call => ({
    path: `/ogc/collections/${encodeURIComponent(id)}/download`,
    query: {
      f: format.value,
      crs: crs.value.trim() === '' || format.value === 'kml' ? undefined : crs.value.trim(),
      ...selection,
    },
  })
  const make = async (): Promise<void> => {
    if (await job.make(requested())) save(job.download.peek())
  }
  return (
    <section class="panel" aria-labelledby={title} id="download">
      <header>
        <h2 id={title}>{texts.title}</h2>
        <CopyAsCurl call={requested} />
      </header>
      <form
        class="body stack s2"
        onSubmit={(event) => {
          event.preventDefault()
          void make()
        }}
      >
        <FormatChoice formats={formats} format={format} />
        {srs !== undefined && <CrsChoice srs={srs} format={format.value} crs={crs} />}
        <p class="small dim" role="status">
          {whatOf(selection)}
        </p>
        <Making job={job} />
        <p class="row wrap">
          {job.isMaking.value ? (
            <button type="button" class="btn" onClick={() => job.cancel()}>
              {texts.cancel}
            </button>
          ) : (
            <button type="submit" class="btn primary">
              <Icon name="download" />
              {texts.make}
            </button>
          )}
        </p>
      </form>
    </section>
  )
}

function whatOf({ filter, bbox, version }: DownloadSelection): string {
  const texts = downloadTexts.value
  const part =
    filter !== undefined && bbox !== undefined
      ? texts.both
      : filter !== undefined
        ? texts.filtered
        : bbox !== undefined
          ? texts.boxed
          : texts.whole
  return version === undefined ? part : `${part}. ${texts.ofVersion(version)}`
}

interface FormatChoiceProps {
  formats: readonly (readonly [string, string])[]
  format: { value: string }
}

function FormatChoice({ formats, format }: FormatChoiceProps) {
  const texts = downloadTexts.value
  const field = useId()
  return (
    <div class="field">
      <label for={field}>{texts.format}</label>
      <select
        id={field}
        class="in"
        value={format.value}
        aria-describedby={`${field}-told`}
        onChange={({ currentTarget }) => {
          format.value = currentTarget.value
        }}
      >
        {formats.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      <p class="hint" id={`${field}-told`}>
        {texts.loses[format.value]}
      </p>
    </div>
  )
}

function CrsChoice({ srs, format, crs }: { srs: string; format: string; crs: { value: string } }) {
  const texts = downloadTexts.value
  const field = useId()
  const isFixed = format === 'kml'
  const known = [...new Set([srs, 'EPSG:4326', 'EPSG:3857'])]
  return (
    <div class="field">
      <label for={field}>{texts.crs}</label>
      <input
        id={field}
        class="in"
        list={`${field}-known`}
        placeholder={geographic.includes(format) ? 'EPSG:4326' : srs}
        disabled={isFixed}
        value={isFixed ? '' : crs.value}
        aria-describedby={`${field}-told`}
        onInput={({ currentTarget }) => {
          crs.value = currentTarget.value
        }}
      />
      <datalist id={`${field}-known`}>
        {known.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <p class="hint" id={`${field}-told`}>
        {isFixed ? texts.onlyWgs84 : geographic.includes(format) ? texts.crsHintWgs84 : texts.crsHint}
      </p>
    </div>
  )
}

/** Progress, address and losses of the file. */
function Making({ job }: { job: DownloadJob }) {
  const texts = downloadTexts.value
  const download = job.download.value
  if (job.error.value !== undefined) return <Refused error={job.error.value} />
  if (job.isMaking.value) {
    const isKnown = download?.state === 'RUNNING' && download.total > 1
    return (
      <div class="stack s1">
        <p class="small" role="status">
          {download?.state === 'PENDING' ? texts.waiting : texts.making}
          {isKnown && `: ${texts.progress(download.progress, download.total)}`}
        </p>
        <progress
          value={isKnown ? download.progress : undefined}
          max={isKnown ? download.total : 1}
          aria-label={texts.making}
        />
      </div>
    )
  }
  if (download?.state !== 'COMPLETE') return null
  const losses = download.losses ?? []
  return (
    <div class="stack s1">
      <p class="small row wrap" role="status">
        <span>{texts.ready(shownBytes(download.sizeBytes ?? 0))}</span>
        <a href={addressOf(fileCall(download).path)} download>
          {texts.save}
        </a>
      </p>
      {losses.length > 0 && (
        <details class="small">
          <summary>{texts.losses}</summary>
          <ul>
            {losses.map((loss) => (
              <li key={loss} dir="auto">
                {loss}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

/** The browser requests the file, and saves it under the server's file name. */
function save(download: Download | undefined): void {
  if (download === undefined) return
  const link = document.createElement('a')
  link.href = addressOf(fileCall(download).path)
  link.download = ''
  link.click()
}

import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { call } from '../../../api/client.ts'
import { CopyAsCurl } from '../../../components/copy-as-curl.tsx'
import { shownBytes } from '../../../components/formats.ts'
import { Icon } from '../../../components/icon.tsx'
import { Failed, Loading } from '../../../components/states.tsx'
import { Resource } from '../../../lib/resource.ts'
import { sourcesTexts } from '../../../messages/import/texts.ts'
import { CommandOutput } from './source-messages.tsx'
import { importCallOf, useBegin } from './use-begin.ts'

interface Folder {
  path?: string
  entries: { name: string; path: string; kind: 'folder' | 'file'; sizeBytes?: number }[]
  hasMore: boolean
}

const maxShown = 200

/** Folders of the server that imports may name: looked into, and taken whole, as a mosaic, or file by file. */
export function FolderBrowser() {
  const texts = sourcesTexts.value
  /** Path of folders to the current one. */
  const way = useSignal<readonly string[]>([])
  const isMosaic = useSignal(false)
  const { begin, error } = useBegin()
  const here = way.value.at(-1)
  const found = useMemo(
    () =>
      new Resource<Folder>((signal) => call({ path: '/rest/import-folders', query: { path: here } }, signal)),
    [here],
  )
  useEffect(() => {
    void found.load()
    return () => found.stop()
  }, [found])
  const { value, error: failure } = found.state.value
  const whole = importCallOf({ type: isMosaic.value ? 'mosaic' : 'directory', location: here ?? '' })
  const leave = (): void => {
    way.value = way.value.slice(0, -1)
  }
  return (
    <div class="stack s2 folders">
      <p class="mono small" dir="auto">
        {here ?? texts.roots}
      </p>
      {failure !== undefined && <Failed error={failure} onAgain={() => void found.load()} />}
      {value === undefined && failure === undefined && <Loading />}
      <ul>
        {here !== undefined && (
          <li>
            <button type="button" onClick={leave}>
              <Icon name="undo" />
              {texts.upward}
            </button>
          </li>
        )}
        {(value?.entries ?? []).slice(0, maxShown).map(({ name, path, kind, sizeBytes }) => (
          <EntryRow
            key={path}
            {...{ name, kind, sizeBytes }}
            onTake={() => {
              if (kind === 'folder') way.value = [...way.value, path]
              else void begin(importCallOf({ type: 'file', file: path }))
            }}
          />
        ))}
      </ul>
      {value !== undefined && value.entries.length === 0 && <p class="dim small">{texts.emptyFolder}</p>}
      {value !== undefined && (value.hasMore || value.entries.length > maxShown) && (
        <p class="dim small">{texts.moreFiles}</p>
      )}
      <CommandOutput error={error.value} />
      {here !== undefined && (
        <>
          <label class="check">
            <input
              type="checkbox"
              checked={isMosaic.value}
              onChange={(event) => {
                isMosaic.value = event.currentTarget.checked
              }}
            />
            {texts.asMosaic}
          </label>
          <div class="row wrap">
            <button type="button" class="btn main" onClick={() => void begin(whole)}>
              {texts.wholeFolder}
            </button>
            <CopyAsCurl call={whole} />
          </div>
        </>
      )}
    </div>
  )
}

interface EntryRowProps {
  name: string
  kind: 'folder' | 'file'
  sizeBytes?: number
  onTake(): void
}

function EntryRow({ name, kind, sizeBytes, onTake }: EntryRowProps) {
  const texts = sourcesTexts.value
  return (
    <li>
      <button
        type="button"
        aria-label={kind === 'folder' ? texts.into(name) : texts.lookAt(name)}
        onClick={onTake}
      >
        <Icon name={kind} />
        <span class="grow cut" dir="auto">
          {name}
        </span>
        {sizeBytes !== undefined && <small class="dim nowrap">{shownBytes(sizeBytes)}</small>}
        {kind === 'folder' && <Icon name="right" />}
      </button>
    </li>
  )
}

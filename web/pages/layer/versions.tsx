import { type Call, call } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Icon } from '../../components/icon.tsx'
import { Failed, Loading, Refused } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { useActing } from '../../components/use-acting.ts'
import { formatTime } from '../../lib/numbers.ts'
import type { Resource } from '../../lib/resource.ts'
import { setQuery } from '../../lib/router.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import { messages } from '../../messages/messages.ts'
import { isStaff } from '../../session/session.ts'
import { lookedAt } from './layer-view.ts'
import { layerPath, type Version } from './types.ts'

type VersionList = Resource<{ versions: Version[] }>

interface VersionsProps {
  id: string
  list: VersionList
  /** True for a deleted layer, without map and table. */
  isGone?: boolean
  /** It has cells, not rows. */
  isRaster?: boolean
  /** Called after the layer was restored. */
  onRestored(): void
}

/** Versions of the layer, latest first. */
export function Versions({ id, list, isGone = false, isRaster = false, onRestored }: VersionsProps) {
  const texts = layerTexts.value
  const acting = useActing()
  const { value, error } = list.state.value
  const path = `${layerPath(id)}/versions`
  const restore = async (version: number): Promise<void> => {
    const body = { what: ['data', 'style'] }
    const isDone = await acting.act(() => call({ method: 'POST', path: `${path}/${version}/restore`, body }))
    if (isDone) {
      say(texts.restored(version))
      setQuery({ version: undefined })
      onRestored()
    }
    await list.load()
  }
  const pin = async ({ version, pinned }: Version): Promise<void> => {
    const body = { pinned: !pinned }
    await acting.act(() => call({ method: 'PUT', path: `${path}/${version}`, body }))
    await list.load()
  }
  return (
    <section class="panel" aria-label={texts.versions}>
      <header>
        <h2>{texts.versions}</h2>
        <CopyAsCurl call={{ path }} />
      </header>
      {error !== undefined && <Failed error={error} onAgain={() => void list.load()} />}
      {value === undefined && error === undefined && <Loading />}
      <ol class="body strata">
        {value?.versions.map((version, index) => (
          <Stratum
            key={version.version}
            version={version}
            latest={index === 0 ? undefined : value.versions[0]?.version}
            isGone={isGone}
            isBusy={acting.isBusy.value}
            isRaster={isRaster}
            onRestore={() => void restore(version.version)}
            onPin={() => void pin(version)}
          />
        ))}
      </ol>
      <Refused error={acting.error.value} />
    </section>
  )
}

interface StratumProps {
  version: Version
  /** Undefined for the latest itself. */
  latest: number | undefined
  isGone: boolean
  isBusy: boolean
  isRaster: boolean
  onRestore(): void
  onPin(): void
}

function Stratum({ version: one, latest, isGone, isBusy, isRaster, onRestore, onPin }: StratumProps) {
  const texts = layerTexts.value
  const { version, created, user, cause, rows, changes, restorable, reason, pinned } = one
  const { locale } = messages.value
  const isLooked = lookedAt() === version
  const when = formatTime(locale, new Date(created), { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <li>
      <b class="mono">v{version}</b>
      <div class="what">
        <span>
          {rows !== null && !isRaster && `${texts.rows(rows)}, `}
          {texts.causes(cause)}
          {changes !== null && <Signs counts={changes} />}
        </span>
        <span class="dim" dir="auto">
          {[when, user ?? ''].filter((part) => part !== '').join(', ')}
          {reason !== null && latest !== undefined && ` · ${reason}`}
        </span>
      </div>
      <div class="row wrap acts">
        {latest === undefined && !isGone && <span class="tag acc">{texts.now}</span>}
        {pinned && <span class="tag">{texts.pinned}</span>}
        {latest !== undefined && restorable && !isGone && (
          <button
            type="button"
            class="btn sm"
            aria-pressed={isLooked}
            onClick={() => setQuery({ version: isLooked ? undefined : String(version) })}
          >
            <Icon name="eye" />
            {isLooked ? texts.lookNoMore : texts.lookAt}
          </button>
        )}
        {latest !== undefined && !isGone && (
          <button
            type="button"
            class="btn sm"
            onClick={() => setQuery({ from: String(version), to: String(latest) })}
          >
            <Icon name="split" />
            {texts.compare}
          </button>
        )}
        {latest !== undefined && isStaff.value && (
          <>
            <button type="button" class="btn sm" disabled={!restorable || isBusy} onClick={onRestore}>
              <Icon name="undo" />
              {texts.restore}
            </button>
            <button type="button" class="btn quiet sm" disabled={isBusy} onClick={onPin}>
              {pinned ? texts.letGo : texts.pin}
            </button>
          </>
        )}
      </div>
    </li>
  )
}

/** Numbers of added, changed and removed rows, with symbols. */
export function Signs({ counts }: { counts: NonNullable<Version['changes']> }) {
  const { added, changed, removed } = counts
  const texts = layerTexts.value
  return (
    <span class="signs">
      <b class="add">+{texts.added(added)}</b>{' '}
      {changed !== null && <b class="chg">~{texts.changedRows(changed)}</b>}{' '}
      <b class="del">−{texts.removed(removed)}</b>
    </span>
  )
}

export function versionsCall(id: string): Call {
  return { path: `${layerPath(id)}/versions` }
}

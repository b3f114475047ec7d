import { useEffect, useMemo } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Failed, Loading, Refused } from '../../components/states.tsx'
import { useActing } from '../../components/use-acting.ts'
import { Resource } from '../../lib/resource.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import { type Entry, layerPath, type Version } from './types.ts'

interface DeleteLayerProps {
  id: string
  entry: Entry | undefined
  /** True if its table was published in place, and stays. */
  isInPlace: boolean
  onClose(): void
  onDeleted(): void
}

/** Dependents and usage of a layer, before its deletion. */
export function DeleteLayer({ id, entry, isInPlace, onClose, onDeleted }: DeleteLayerProps) {
  const texts = layerTexts.value
  const { isBusy, error, act } = useActing()
  const path = layerPath(id)
  const versions = useMemo(
    () => new Resource<{ versions: Version[] }>((aborted) => call({ path: `${path}/versions` }, aborted)),
    [path],
  )
  useEffect(() => {
    void versions.load()
    return () => versions.stop()
  }, [versions])
  const gone: Call = { method: 'DELETE', path, query: { recurse: true } }
  const remove = async (): Promise<void> => {
    if (!(await act(() => call(gone)))) return
    onClose()
    onDeleted()
  }
  const known = versions.state.value
  return (
    <Dialog title={texts.deleteTitle(id)} onClose={onClose}>
      <div class="stack">
        {known.error !== undefined && <Failed error={known.error} onAgain={() => void versions.load()} />}
        {known.value === undefined && known.error === undefined && <Loading />}
        {known.value !== undefined && (
          <ul class="goes">
            {isInPlace && <li>{texts.inPlace.stays}</li>}
            {!isInPlace && entry?.rows !== undefined && <li>{texts.rowsGo(entry.rows)}</li>}
            <li>{texts.versionsGo(known.value.versions.length)}</li>
            {entry?.requests !== undefined && <li>{texts.requestsWere(entry.requests.total)}</li>}
            <li>{texts.addressesGo}</li>
          </ul>
        )}
        <p class="dim">{texts.comesBack}</p>
        <Refused error={error.value} />
        <div class="row wrap end-acts">
          <CopyAsCurl call={gone} />
          <button type="button" class="btn" onClick={onClose}>
            {texts.keep}
          </button>
          <button
            type="button"
            class="btn danger"
            disabled={known.value === undefined || isBusy.value}
            onClick={() => void remove()}
          >
            {texts.deleteNow}
          </button>
        </div>
      </div>
    </Dialog>
  )
}

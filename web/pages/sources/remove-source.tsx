import { useSignal } from '@preact/signals'
import { type Call, call } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { Refused } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { useActing } from '../../components/use-acting.ts'
import { goTo } from '../../lib/router.ts'
import { sourceTexts } from '../../messages/sources/texts.ts'
import { sourcePath } from './types.ts'

/** Deletes a source after a confirmation. */
export function RemoveSource({ name }: { name: string }) {
  const texts = sourceTexts.value
  const isOpen = useSignal(false)
  const { act, error } = useActing()
  const requested: Call = { method: 'DELETE', path: sourcePath(name) }
  const remove = async (): Promise<void> => {
    if (!(await act(() => call(requested)))) return
    say(texts.removed(name))
    goTo('/app/sources', { isReplaced: true })
  }
  const close = (): void => {
    isOpen.value = false
  }
  return (
    <>
      <button
        type="button"
        class="btn quiet"
        onClick={() => {
          isOpen.value = true
        }}
      >
        <Icon name="trash" />
        {texts.remove}
      </button>
      {isOpen.value && (
        <Dialog title={texts.removeTitle(name)} onClose={close}>
          <p>{texts.removeText}</p>
          <Refused error={error.value} />
          <p class="row wrap form-end">
            <CopyAsCurl call={requested} />
            <button type="button" class="btn" onClick={close}>
              {texts.keep}
            </button>
            <button type="button" class="btn danger" onClick={() => void remove()}>
              {texts.remove}
            </button>
          </p>
        </Dialog>
      )}
    </>
  )
}

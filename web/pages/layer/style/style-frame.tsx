import type { Call } from '../../../api/client.ts'
import { CopyAsCurl } from '../../../components/copy-as-curl.tsx'
import { Icon } from '../../../components/icon.tsx'
import { styleTexts } from '../../../messages/layer/style/texts.ts'

/** Name and state of the style. */
export function StyleHead({
  name,
  isChanged,
  isDefault,
}: {
  name: string
  isChanged: boolean
  isDefault: boolean
}) {
  const texts = styleTexts.value
  return (
    <header>
      <h2 id="style-title" class="cut" dir="auto">
        {name}
      </h2>
      {isChanged ? (
        <span class="tag acc">
          <Icon name="pencil" />
          {texts.notSaved}
        </span>
      ) : (
        isDefault && <span class="tag">{texts.isDefault}</span>
      )}
    </header>
  )
}

interface SaveBarProps {
  isChanged: boolean
  isBusy: boolean
  call(): Call
  onDiscard(): void
  onSave(): void
}

export function SaveBar({ isChanged, isBusy, call: saveCall, onDiscard, onSave }: SaveBarProps) {
  const texts = styleTexts.value
  return (
    <footer class="row wrap">
      <CopyAsCurl call={saveCall} />
      <span class="grow" />
      <button type="button" class="btn" disabled={!isChanged} onClick={onDiscard}>
        {texts.discard}
      </button>
      <button type="button" class="btn main" disabled={!isChanged || isBusy} onClick={onSave}>
        {texts.save}
      </button>
    </footer>
  )
}

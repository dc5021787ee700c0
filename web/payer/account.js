// Shows a PIN and copies a key; the forms work without it.
for (const button of document.querySelectorAll('[data-reveal]')) {
  const input = document.getElementById(button.dataset.reveal)
  button.hidden = false
  button.addEventListener('click', () => {
    input.type = input.type === 'password' ? 'text' : 'password'
    const other = button.dataset.other
    button.dataset.other = button.textContent.trim()
    button.textContent = other
    input.focus()
  })
}
const showCopies = (page) => {
  if (!navigator.clipboard) return
  for (const button of page.querySelectorAll('[data-copy]')) {
    const text = document.getElementById(button.dataset.copy).textContent
    const name = button.textContent
    button.hidden = false
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(text)
      button.textContent = button.dataset.done
      setTimeout(() => (button.textContent = name), 3000)
    })
  }
}
showCopies(document)

;;; eglot.el --- Batch Emacs with Eglot opens a config, sees the finding, applies the first fix and saves -*- lexical-binding: t -*-

;; emacs -Q --batch -l eglot.el; SHARDLINT is the program, FOLDER holds run.toml, PLUGIN is integrations/editors/emacs.

(require 'package)
(add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa")  ; where Debian puts it, which -Q leaves out
(package-initialize)
(add-to-list 'load-path (getenv "PLUGIN"))
(setq-default indent-tabs-mode nil)
(setq eglot-sync-connect 10 eglot-autoshutdown nil eglot-send-changes-idle-time 0)

(unless (require 'eglot nil t)
  (message "emacs: Eglot is not installed")
  (kill-emacs 77))
(require 'shardlint)
(setq shardlint-program (getenv "SHARDLINT") shardlint-settings '(:debounce 0))

(defun fail (format &rest arguments)
  (message "emacs: %s" (apply #'format format arguments))
  (kill-emacs 1))

(defun wait-for (what test)
  "Until TEST gives something; that."
  (let ((end (+ (float-time) 10)) found)
    (while (and (not (setq found (funcall test))) (< (float-time) end))
      ;; Batch Emacs is never idle, so nothing else would send what was changed.
      (eglot--signal-textDocument/didChange)
      (accept-process-output nil 0.05)
      (flymake-start))
    (or found (fail "waited in vain for %s; there are %S" what (mapcar #'flymake-diagnostic-text (flymake-diagnostics))))))

(defun finding ()
  (seq-find (lambda (diagnostic) (string-match-p "2,500 sequences cannot be shared by 80 replicas" (flymake-diagnostic-text diagnostic)))
            (flymake-diagnostics)))

(condition-case fault
    (progn
      (find-file (expand-file-name "run.toml" (getenv "FOLDER")))
      (shardlint-mode)
      (apply #'eglot (eglot--guess-contact))
      (let ((diagnostic (wait-for "the finding" #'finding)))
        (let ((text (buffer-substring-no-properties (flymake-diagnostic-beg diagnostic) (flymake-diagnostic-end diagnostic))))
          (unless (equal text "2500") (fail "the finding stands at %S" text)))
        (goto-char (flymake-diagnostic-beg diagnostic)))
      (let* ((actions (eglot-code-actions (line-beginning-position) (line-end-position)))
             (fix (seq-find (lambda (action) (string-prefix-p "Set global_batch_size" (plist-get action :title))) (append actions nil))))
        (unless fix (fail "no fix among %S" (mapcar (lambda (action) (plist-get action :title)) actions)))
        (eglot--apply-workspace-edit (plist-get fix :edit)))
      (wait-for "the finding to go" (lambda () (not (finding))))
      (save-buffer)
      (kill-emacs 0))
  (error (fail "%S" fault)))
;;; eglot.el ends here

;;; shardlint.el --- Check distributed-training jobs while you type -*- lexical-binding: t -*-

;; Registers `shardlint lsp' with Eglot. Put it on the load path, (require 'shardlint), then M-x eglot in a config or a launch script.

;;; Code:

(require 'eglot)

(defgroup shardlint nil "Checks distributed-training jobs." :group 'tools)

(defcustom shardlint-program "shardlint" "The program." :type 'string)

(defcustom shardlint-settings nil
  "What the server is told at its start: a plist with :debounce, :advice, :scope and :cluster."
  :type 'plist)

(defclass shardlint-server (eglot-lsp-server) () "The language server of shardlint.")

(cl-defmethod eglot-initialization-options ((_server shardlint-server))
  "The settings, as the server takes them."
  (or shardlint-settings eglot--{}))

(add-to-list 'eglot-server-programs
             `((yaml-mode yaml-ts-mode conf-toml-mode toml-mode toml-ts-mode json-mode js-json-mode json-ts-mode sh-mode bash-ts-mode
                shardlint-mode)
               . ,(lambda (&rest _) (list 'shardlint-server shardlint-program "lsp"))))

;; Emacs 28 has no mode for YAML of its own, and Eglot starts nothing without a mode: this one is enough to edit a config.
(define-derived-mode shardlint-mode conf-mode "Training config"
  "For training configs, where no mode of their own is installed."
  (setq-local comment-start "# "))

(dolist (ending '("yaml" "yml"))
  (unless (assoc-default (concat "config." ending) auto-mode-alist #'string-match)
    (add-to-list 'auto-mode-alist (cons (format "\\.%s\\'" ending) 'shardlint-mode))))
(dolist (ending '("sbatch" "slurm"))
  (add-to-list 'auto-mode-alist (cons (format "\\.%s\\'" ending) 'sh-mode)))

(defun shardlint--findings-first ()
  "Show what is wrong at point before what the key means."
  (when (and (eglot-managed-p) (object-of-class-p (eglot-current-server) 'shardlint-server))
    (setq-local eldoc-documentation-functions
                (cons #'flymake-eldoc-function (remq #'flymake-eldoc-function eldoc-documentation-functions)))))
(add-hook 'eglot-managed-mode-hook #'shardlint--findings-first)

(provide 'shardlint)
;;; shardlint.el ends here

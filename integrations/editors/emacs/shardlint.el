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
             `((yaml-mode conf-toml-mode toml-mode json-mode js-json-mode sh-mode shardlint-mode)
               . ,(lambda (&rest _) (list 'shardlint-server shardlint-program "lsp"))))

;; Emacs 28 has no mode for YAML of its own: this one is enough to edit a config.
(define-derived-mode shardlint-mode conf-mode "Training config"
  "For training configs, where no mode of their own is installed."
  (setq-local comment-start "# "))

(provide 'shardlint)
;;; shardlint.el ends here
